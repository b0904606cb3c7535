/**
 * Waiting for MCP servers before a command starts: until every required one is ready, or, with none required, until
 * none is still starting; never longer than asked. What a missing one means for the exit code is decided here too.
 */
import { type ServerStatus, ToolServers } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { ExitCode, failed } from "./ExitCode.ts"
import { hint } from "./NearName.ts"

/** Seconds that are waited when servers are required, or are what the command is about. */
export const usualWaitSeconds = 10

type List = ReadonlyArray<ServerStatus>

/** These do not become ready without a person. */
const isStuck = ({ state }: ServerStatus): boolean =>
  state === "disabled" || state === "untrusted" || state === "needs_auth"

/** True when waiting longer changes nothing. */
export const isSettled = (list: List, required: ReadonlyArray<string>): boolean =>
  required.length === 0
    ? list.every(({ state }) => state !== "pending" && state !== "starting")
    : required.every((name) => list.find((one) => one.name === name)?.state === "ready") ||
      required.some((name) => {
        const found = list.find((one) => one.name === name)
        return found === undefined || isStuck(found)
      })

/** Gives the statuses when they are settled or the time is over. */
export const settle = Effect.fnUntraced(function* (required: ReadonlyArray<string>, seconds: number) {
  const servers = yield* ToolServers
  const now = yield* servers.list
  if (seconds <= 0 || isSettled(now, required)) return now
  // The first look comes after subscribing, so that no change falls between the two.
  yield* Stream.merge(Stream.make(undefined), servers.changes).pipe(
    Stream.mapEffect(() => servers.list),
    Stream.takeUntil((list) => isSettled(list, required)),
    Stream.runDrain,
    Effect.timeoutOption(`${seconds} seconds`)
  )
  return yield* servers.list
})

const lacking = (list: List, name: string) => {
  const found = list.find((one) => one.name === name)
  if (found === undefined)
    return failed(
      `there is no MCP server "${name}"${hint(
        name,
        list.map((one) => one.name)
      )}`,
      ExitCode.serverNotReady
    )
  if (found.state === "untrusted")
    return failed(
      `MCP server "${name}" belongs to a project that is not trusted; see what it runs, then: cow trust`,
      ExitCode.untrusted
    )
  const why = found.error === null ? "" : `: ${found.error}`
  return failed(`required MCP server "${name}" is ${found.state}${why}`, ExitCode.serverNotReady)
}

export interface WaitFlags {
  readonly requireMcp: ReadonlyArray<string>
  readonly mcpWait: Option.Option<number>
}

/** Fails with exit 56, or 55 where a folder is not trusted, when a required server is not ready in time. */
export const before = Effect.fnUntraced(function* ({ mcpWait, requireMcp }: WaitFlags, otherwise = 0) {
  const usual = requireMcp.length > 0 ? usualWaitSeconds : otherwise
  const list = yield* settle(
    requireMcp,
    Option.getOrElse(mcpWait, () => usual)
  )
  const missing = requireMcp.find((name) => list.find((one) => one.name === name)?.state !== "ready")
  if (missing !== undefined) return yield* lacking(list, missing)
  return list
})
