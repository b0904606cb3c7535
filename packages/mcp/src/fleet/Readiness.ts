/** Whether servers that somebody waits for are there, or cannot be hoped for. Pure over the rows of `ServerTable`. */
import type { ServerState } from "@cow/core"
import type { Rows } from "./ServerTable.ts"

/** A server that was waited for in vain. `unknown`: there is none of that name. */
export interface UnreadyServer {
  readonly name: string
  readonly status: ServerState | "unknown"
  readonly error: string | null
}

const hopeless = new Set<ServerState | "unknown">(["unknown", "disabled", "untrusted", "needs_auth"])

/** The named servers that are not ready, in their order. */
export const unready = (rows: Rows, names: ReadonlyArray<string>): ReadonlyArray<UnreadyServer> =>
  names.flatMap((name): ReadonlyArray<UnreadyServer> => {
    const row = rows.get(name)
    if (row === undefined) return [{ name, status: "unknown", error: `there is no MCP server "${name}"` }]
    return row.state === "ready" ? [] : [{ name, status: row.state, error: row.error }]
  })

/**
 * True when there is nothing more to wait for: all named are ready or one never will be; none named, all have settled,
 * and what some servers do right after they have become ready (add tools, break) has been seen.
 */
export const isSettled = (rows: Rows, names: ReadonlyArray<string>): boolean => {
  if (names.length === 0)
    return [...rows.values()].every(
      ({ atRest, state }) => state !== "pending" && state !== "starting" && (state !== "ready" || atRest)
    )
  const missing = unready(rows, names)
  const isHopeless = ({ name, status }: UnreadyServer) =>
    hopeless.has(status) || (status === "failed" && rows.get(name)?.atRest === true)
  return missing.length === 0 || missing.some(isHopeless)
}
