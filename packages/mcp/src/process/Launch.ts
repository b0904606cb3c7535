/**
 * A server entry with its variables filled in: what a process or a connection is really started with. Pure.
 *
 * Holds secrets. Messages go through `Redaction` before anybody sees them.
 */
import { Variables } from "@cow/core"
import * as Result from "effect/Result"
import type { TransportConfig } from "../config/ServerEntry.ts"

export interface Launch {
  readonly transport: TransportConfig
  /** Texts that no message may show. */
  readonly secrets: ReadonlyArray<string>
}

const secretName = /key|token|secret|passw|auth|credential|cookie/i

class Missing {
  constructor(readonly reason: string) {}
}

/** Fails naming the variable that is not set and the field that asks for it, or what is wrong with the address. */
export const make = (transport: TransportConfig, lookup: Variables.Lookup): Result.Result<Launch, string> => {
  const secrets = new Set<string>()
  const fill = (template: string, field: string): string => {
    const { missing, text, values } = Variables.expand(template, lookup)
    if (missing[0] !== undefined) throw new Missing(`the variable ${missing[0]} in "${field}" is not set`)
    for (const value of values) if (value.length >= 4) secrets.add(value)
    return text
  }
  const fillAll = (table: Readonly<Record<string, string>>, field: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(table).map(([key, template]) => {
        const value = fill(template, `${field}.${key}`)
        if (secretName.test(key) && value.length >= 4) secrets.add(value)
        return [key, value]
      })
    )
  return Result.try({
    try: (): Launch => {
      if (transport._tag === "Stdio") {
        const filled: TransportConfig = {
          _tag: "Stdio",
          command: fill(transport.command, "command"),
          args: transport.args.map((arg, at) => fill(arg, `args[${at}]`)),
          env: fillAll(transport.env, "env"),
          cwd: transport.cwd === undefined ? undefined : fill(transport.cwd, "cwd")
        }
        return { transport: filled, secrets: [...secrets] }
      }
      const url = fill(transport.url, "url")
      if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
        throw new Missing('"url" is no http or https address')
      const headers = fillAll(transport.headers, "headers")
      return { transport: { ...transport, url, headers }, secrets: [...secrets] }
    },
    catch: (thrown) => {
      if (thrown instanceof Missing) return thrown.reason
      throw thrown
    }
  })
}
