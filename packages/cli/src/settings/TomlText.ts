/** TOML as a value. This is the layer for Bun.TOML. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** Fails with one line. */
export const parse = (text: string): Result.Result<Schema.Json, string> =>
  Result.try({
    try: () => Bun.TOML.parse(text) as Schema.Json,
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause)).split("\n")[0] ?? "no TOML"
  })
