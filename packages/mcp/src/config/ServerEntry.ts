/**
 * One server of a configuration, read from whatever was written: valid, or broken with the reason. Pure.
 *
 * Texts are still templates (`${VAR}`): filling them in is `Launch`. The forms of a whole file are `McpConfig`.
 */
import type { Message } from "@cow/core"
import { Audience } from "@cow/core"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

export type TransportConfig =
  | {
      readonly _tag: "Stdio"
      readonly command: string
      readonly args: ReadonlyArray<string>
      readonly env: Readonly<Record<string, string>>
      readonly cwd: string | undefined
    }
  | {
      readonly _tag: "Http"
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** `auto`: streamable HTTP, then SSE where the server refuses it with 400, 404 or 405. */
      readonly mode: "auto" | "streamable" | "sse"
    }

export interface ServerEntry {
  readonly transport: TransportConfig
  readonly enabled: boolean
  readonly connectTimeoutSeconds: number | undefined
  readonly timeoutSeconds: number | undefined
  /** From the end of its input to SIGTERM; a program only. */
  readonly stopGraceSeconds: number | undefined
  readonly includeTools: ReadonlyArray<string> | undefined
  readonly excludeTools: ReadonlyArray<string>
  readonly audience: Audience.Audience
  /** `auto` or a revision such as `2025-06-18`. */
  readonly protocol: string
  /** Saved by somebody through the API, not by the user's own hand: it may start less. */
  readonly savedByApi: boolean
  readonly warnings: ReadonlyArray<string>
}

class Broken {
  constructor(readonly reason: string) {}
}
const broken = (reason: string): never => {
  throw new Broken(reason)
}

export const isObject = (value: unknown): value is Message.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** `null` counts as not given. */
const field = (entry: Message.JsonObject, ...keys: ReadonlyArray<string>): Schema.Json | undefined => {
  for (const key of keys) if (Object.hasOwn(entry, key) && entry[key] !== null) return entry[key]
  return undefined
}

const word = (value: Schema.Json | undefined, name: string): string | undefined =>
  value === undefined || typeof value === "string" ? value : broken(`"${name}" must be a string`)

const words = (value: Schema.Json | undefined, name: string): ReadonlyArray<string> | undefined => {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) return broken(`"${name}" must be a list of strings`)
  return value.map((one) => {
    if (typeof one === "string") return one
    return typeof one === "number" ? String(one) : broken(`"${name}" must be a list of strings`)
  })
}

const table = (value: Schema.Json | undefined, name: string): Readonly<Record<string, string>> => {
  if (value === undefined) return {}
  if (!isObject(value)) return broken(`"${name}" must be an object of strings`)
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (typeof one === "object") return broken(`"${name}.${key}" must be a string`)
      return [key, String(one)]
    })
  )
}

const seconds = (entry: Message.JsonObject, name: string): number | undefined => {
  const value = field(entry, name)
  if (value === undefined) return undefined
  return typeof value === "number" && value > 0
    ? value
    : broken(`"${name}" must be a number of seconds above 0`)
}

/** Every command that used the server would wait this long at its end. */
const maxStopGrace = 30

const stopGrace = (entry: Message.JsonObject): number | undefined => {
  const value = field(entry, "stop_grace")
  if (value === undefined) return undefined
  return typeof value === "number" && value >= 0 && value <= maxStopGrace
    ? value
    : broken(`"stop_grace" must be a number of seconds from 0 to ${maxStopGrace}`)
}

const flag = (entry: Message.JsonObject, name: string): boolean | undefined => {
  const value = field(entry, name)
  return value === undefined || typeof value === "boolean" ? value : broken(`"${name}" must be true or false`)
}

const kinds: Record<string, "stdio" | "streamable" | "sse"> = {
  stdio: "stdio",
  http: "streamable",
  "streamable-http": "streamable",
  streamable_http: "streamable",
  streamablehttp: "streamable",
  sse: "sse"
}

const kindOf = (entry: Message.JsonObject): "stdio" | "streamable" | "sse" | undefined => {
  const given = ["type", "transport"].flatMap((key) => {
    const value = word(field(entry, key), key)
    if (value === undefined) return []
    const name = value.toLowerCase()
    return [
      Object.hasOwn(kinds, name) ? kinds[name] : broken(`"${key}" is "${value}", not one of stdio, http, sse`)
    ]
  })
  return new Set(given).size > 1 ? broken('"type" and "transport" are at odds') : given[0]
}

const transportOf = (entry: Message.JsonObject): TransportConfig => {
  const kind = kindOf(entry)
  const command = word(field(entry, "command"), "command")
  const url = word(field(entry, "url"), "url")
  if (command !== undefined && url !== undefined) return broken('it has both "command" and "url"')
  if (command !== undefined) {
    if (kind !== undefined && kind !== "stdio") return broken('a server with "command" is stdio, not HTTP')
    if (command.trim() === "") return broken('"command" is empty')
    return {
      _tag: "Stdio",
      command,
      args: words(field(entry, "args"), "args") ?? [],
      env: table(field(entry, "env"), "env"),
      cwd: word(field(entry, "cwd"), "cwd")
    }
  }
  if (url === undefined) return broken('it has neither "command" nor "url"')
  if (kind === "stdio") return broken('a stdio server needs "command"')
  if (url.trim() === "") return broken('"url" is empty')
  return { _tag: "Http", url, headers: table(field(entry, "headers"), "headers"), mode: kind ?? "auto" }
}

const enabledOf = (entry: Message.JsonObject, warnings: Array<string>): boolean => {
  const enabled = flag(entry, "enabled")
  const disabled = flag(entry, "disabled")
  if (enabled !== undefined && disabled !== undefined && enabled === disabled)
    warnings.push('"enabled" and "disabled" are at odds: it is disabled')
  return enabled !== false && disabled !== true
}

const protocolOf = (entry: Message.JsonObject): string => {
  const value = word(field(entry, "protocol"), "protocol") ?? "auto"
  return value === "auto" || /^\d{4}-\d{2}-\d{2}$/.test(value)
    ? value
    : broken(`"protocol" is "${value}", neither "auto" nor a revision like 2025-06-18`)
}

/** Absent is everyone; what is no list of ids is nobody: a slip must not open a server. */
const audienceOf = (entry: Message.JsonObject, warnings: Array<string>): Audience.Audience => {
  if (!Object.hasOwn(entry, "allowed_persona_ids")) return Audience.everyone
  const ids = entry.allowed_persona_ids
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === "string")) {
    warnings.push('"allowed_persona_ids" must be a list of persona ids: nobody may use it')
    return Audience.only([])
  }
  const audience = Audience.fromIds(ids)
  if (audience._tag === "Everyone" && ids.some((id) => id.trim() !== "*"))
    warnings.push('"allowed_persona_ids" has names beside "*": everyone may use it')
  return audience
}

/** Fails with the reason, one line without the server's name. */
export const decode = (value: Schema.Json): Result.Result<ServerEntry, string> =>
  Result.try({
    try: () => {
      if (!isObject(value)) return broken("it is not an object")
      const warnings: Array<string> = []
      return {
        transport: transportOf(value),
        enabled: enabledOf(value, warnings),
        connectTimeoutSeconds: seconds(value, "connect_timeout"),
        timeoutSeconds: seconds(value, "timeout"),
        stopGraceSeconds: stopGrace(value),
        includeTools: words(field(value, "includeTools"), "includeTools"),
        excludeTools: words(field(value, "excludeTools"), "excludeTools") ?? [],
        audience: audienceOf(value, warnings),
        protocol: protocolOf(value),
        savedByApi: field(value, "saved_by") === "api",
        warnings
      }
    },
    catch: (thrown) => {
      if (thrown instanceof Broken) return thrown.reason
      throw thrown
    }
  })

/** What `transport` is called in lists, also for an entry that is broken. */
export const transportName = (
  entry: Result.Result<ServerEntry, string>
): "stdio" | "http" | "sse" | "unknown" => {
  if (Result.isFailure(entry)) return "unknown"
  const { transport } = entry.success
  return transport._tag === "Stdio" ? "stdio" : transport.mode === "sse" ? "sse" : "http"
}
