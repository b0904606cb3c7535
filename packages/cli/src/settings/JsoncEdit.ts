/** Edits of a text of JSON with comments: what is not edited stays as it is written. Pure. Reading one is core's `Jsonc`. */
import { Jsonc } from "@cow/core"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/**
 * The text with the top-level `key` set to the value; all else, comments too, stays as it is.
 * Fails when the text cannot be read or is no object.
 */
export const set = (text: string, key: string, value: Schema.Json): Result.Result<string, Jsonc.JsoncError> =>
  Result.flatMap(Jsonc.parse(text), (document) => {
    const written = JSON.stringify(value, null, 2).replaceAll("\n", "\n  ")
    const whole = document.spanOf([])
    if (whole === undefined)
      return Result.succeed(
        `${text.trimEnd()}${text.trim() === "" ? "" : "\n"}{\n  ${JSON.stringify(key)}: ${written}\n}\n`
      )
    if (text[whole.from] !== "{")
      return Result.fail({ message: "the file holds no object", path: [], line: 1, column: 1 })
    const old = Object.hasOwn(document.value as object, key) ? document.spanOf([key]) : undefined
    if (old !== undefined) return Result.succeed(text.slice(0, old.from) + written + text.slice(old.to))
    const more = Object.keys(document.value as object).length > 0
    const entry = `\n  ${JSON.stringify(key)}: ${written}${more ? "," : "\n"}`
    return Result.succeed(text.slice(0, whole.from + 1) + entry + text.slice(whole.from + 1))
  })
