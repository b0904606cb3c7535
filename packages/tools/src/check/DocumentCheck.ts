/**
 * Whether a text is what its file's name promises: JSON by core's `Jsonc`. This is the layer for Bun's own parsers
 * (TOML, YAML and the TypeScript transpiler). Strict for data, where a broken text is refused; advisory for code.
 */

import { Jsonc } from "@cow/core"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Thrown from "../tool/Thrown.ts"
import type { Fault } from "./Fault.ts"

/** Beyond this many lines the line of a fault is not searched for. */
const maxSearchedLines = 2000

const parses = (parse: (text: string) => unknown, text: string): boolean =>
  Option.isSome(Option.liftThrowable(parse)(text))

/** The line after the longest beginning that parses: where the fault, or what it is in, begins. */
const faultyLine = (parse: (text: string) => unknown, text: string): number | undefined => {
  const lines = text.split("\n")
  if (lines.length > maxSearchedLines) return undefined
  for (let count = lines.length - 1; count > 0; count--)
    if (parses(parse, lines.slice(0, count).join("\n"))) return count + 1
  return 1
}

const check = (parse: (text: string) => unknown, text: string): Fault | undefined => {
  try {
    parse(text)
    return undefined
  } catch (cause) {
    return { line: faultyLine(parse, text), message: Thrown.messageOf(cause) }
  }
}

/** Where JSON, or JSON with comments, breaks off. `JSON.parse` is quick and takes any depth, but tells no place. */
const jsonFault = (text: string, hasComments: boolean): Fault | undefined => {
  if (parses(JSON.parse, text)) return undefined
  const read = hasComments ? Jsonc.parse(text) : Jsonc.parseStrict(text)
  return Result.isSuccess(read) ? undefined : { line: read.failure.line, message: read.failure.message }
}

const commented =
  /(?:^|\/)(?:[jt]sconfig[^/]*|devcontainer|\.eslintrc|deno|biome|launch|settings|tasks)\.json$/

/** The fault of a data file (JSON, JSONC, YAML, TOML); `undefined`: none, or not such a file. Blank text passes. */
export const dataFault = (file: string, text: string, before?: string): Fault | undefined => {
  const extension = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase()
  if (text.trim() === "") return undefined
  switch (extension) {
    case "json": {
      const hadComments =
        before !== undefined &&
        jsonFault(before, false) !== undefined &&
        jsonFault(before, true) === undefined
      return jsonFault(text, commented.test(file) || hadComments)
    }
    case "jsonc":
      return jsonFault(text, true)
    case "toml":
      return check(Bun.TOML.parse, text)
    case "yaml":
    case "yml":
      // A template is YAML only once it is filled in.
      return /\{\{|\{%/.test(text) ? undefined : check(Bun.YAML.parse, text)
    default:
      return undefined
  }
}

/** The fault of a JavaScript or TypeScript text; `undefined`: none, or not such a file. */
export const codeFault = (file: string, text: string): Fault | undefined => {
  const loader = /\.([cm]?[jt]s|[jt]sx)$/.exec(file)?.[1]?.replace(/^[cm]/, "")
  if (loader !== "ts" && loader !== "tsx" && loader !== "js" && loader !== "jsx") return undefined
  const transpiler = new Bun.Transpiler({ loader })
  try {
    transpiler.scan(text)
    return undefined
  } catch (cause) {
    return { line: undefined, message: Thrown.messageOf(cause) }
  }
}
