/** Edits of a text of JSON with comments: what is not edited stays as it is written. Pure. Reading one is `Jsonc`. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { applyEdits, modify, parseTree } from "jsonc-parser"
import * as Jsonc from "./Jsonc.ts"

interface Manner {
  readonly indent: string
  readonly eol: string
}

/** How the text is written. */
const mannerOf = (text: string): Manner => ({
  indent: /\n([ \t]+)(?=["{[}\]])/.exec(text)?.[1] ?? "  ",
  eol: text.includes("\r\n") ? "\r\n" : "\n"
})

/** The value as it stands behind a key one level deep. */
const written = (value: Schema.Json, { eol, indent }: Manner): string =>
  JSON.stringify(value, null, indent).replaceAll("\n", `${eol}${indent}`)

/**
 * The text with the top-level `key` set to the value; all else, comments too, stays as it is. Where the key stands
 * twice the one that counts is set. Fails when the text cannot be read or is no object.
 */
export const set = (text: string, key: string, value: Schema.Json): Result.Result<string, Jsonc.JsoncError> =>
  Result.flatMap(Jsonc.parse(text), (document) => {
    const mark = text.startsWith("\uFEFF") ? "\uFEFF" : ""
    const bare = text.slice(mark.length)
    const manner = mannerOf(bare)
    const { eol, indent } = manner
    if (document.empty) {
      const before = bare.trim() === "" ? "" : `${bare.trimEnd()}${eol}`
      const entry = `${indent}${JSON.stringify(key)}: ${written(value, manner)}`
      return Result.succeed(`${mark}${before}{${eol}${entry}${eol}}${eol}`)
    }
    const root = parseTree(bare, [], { allowTrailingComma: true })
    if (root?.type !== "object")
      return Result.fail({ message: "the file holds no object", path: [], line: 1, column: 1 })
    const old = root.children?.findLast((property) => property.children?.[0]?.value === key)?.children?.[1]
    const edits =
      old === undefined
        ? modify(bare, [key], value, {
            // Behind the last entry its comment would come to stand at the new one.
            getInsertionIndex: () => 0,
            formattingOptions: { insertSpaces: !indent.includes("\t"), tabSize: indent.length, eol }
          })
        : [{ offset: old.offset, length: old.length, content: written(value, manner) }]
    return Result.succeed(mark + applyEdits(bare, edits))
  })
