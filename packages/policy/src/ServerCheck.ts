/** The two checks about the server a tool comes from: is it up, and is it granted to the persona. Pure. */
import { Audience, type ServerStatus, type TraceStep } from "@cow/core"

/** What a person types to bring the server nearer to `ready`. */
const fixes: Record<Exclude<ServerStatus["state"], "ready">, (server: string) => string> = {
  disabled: (server) => `cow mcp enable ${server}`,
  untrusted: () => "cow trust",
  pending: () => "cow mcp list --mcp-wait 30",
  starting: () => "cow mcp list --mcp-wait 30",
  failed: (server) => `cow mcp test ${server}`,
  needs_auth: (server) => `cow mcp login ${server}`
}

/** A server name as one word of a POSIX shell. */
const word = (name: string): string =>
  /^[\w./:@-]+$/.test(name) ? name : `'${name.replaceAll("'", () => "'\\''")}'`

export const server = (name: string, status: ServerStatus | null): TraceStep => {
  if (status === null)
    return {
      check: "server",
      ok: false,
      detail: `no server is called ${name}`,
      fix: "cow mcp list"
    }
  if (status.state === "ready") return { check: "server", ok: true, detail: `server ${name} is ready` }
  const why = status.error === null ? "" : `: ${status.error}`
  return {
    check: "server",
    ok: false,
    detail: `server ${name} is ${status.state}${why}`,
    fix: fixes[status.state](word(name))
  }
}

/** Connecting is not granting: a server that is up is still closed to whoever is not in its audience. */
export const grant = (name: string, status: ServerStatus | null, persona: string): TraceStep => {
  if (status === null) return { check: "grant", ok: false, detail: "not checked" }
  if (Audience.includes(status.audience, persona))
    return {
      check: "grant",
      ok: true,
      detail:
        status.audience._tag === "Everyone"
          ? `server ${name} is open to every persona`
          : `server ${name} is granted to ${persona}`
    }
  const others = Audience.toIds(status.audience).join(", ")
  return {
    check: "grant",
    ok: false,
    detail: `server ${name} is not granted to ${persona}, only to ${others || "nobody"}`,
    fix: `cow mcp grant ${word(name)} ${persona}`
  }
}
