/**
 * The `mcp_servers` of `config.json`, followed while they are in force. How that file is read is the CLI's; what the
 * servers mean is `McpConfig`.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ConfigReader } from "./ConfigPlaces.ts"
import * as FileStamp from "./FileStamp.ts"
import * as McpConfig from "./McpConfig.ts"

export interface ConfigServers {
  /** True when they are other ones now. @param force read again, whatever the stamps say */
  readonly look: (force: boolean) => Effect.Effect<boolean>
  readonly list: () => McpConfig.ServerList
}

/** For messages. */
export const place = "config.json: mcp_servers"

const listOf = (value: Schema.Json | undefined): McpConfig.ServerList =>
  McpConfig.ofDocument(value ?? {}, "config", place)

/** @param given as they were read at the start */
export const make = (given: Schema.Json | undefined, reader: ConfigReader | undefined): ConfigServers => {
  let list = listOf(given)
  let text = JSON.stringify(given)
  const stampsNow = () => (reader?.files ?? []).map(FileStamp.take).join("\n")
  let stamps = stampsNow()

  const look = (force: boolean): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      if (reader === undefined) return false
      const now = stampsNow()
      if (now === stamps && !force) return false
      stamps = now
      const read = yield* reader.read
      if (Result.isFailure(read)) {
        yield* Effect.logWarning(`config.json is broken (${read.failure}): the servers stay as they are`)
        return false
      }
      const next = JSON.stringify(read.success)
      if (next === text) return false
      text = next
      list = listOf(read.success)
      return true
    })
  return { look, list: () => list }
}
