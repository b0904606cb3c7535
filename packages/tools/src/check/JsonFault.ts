/** Where a text stops being JSON. Pure; the engine's own parser does not tell the place. */
import { Jsonc } from "@cow/core"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Fault } from "./Fault.ts"

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The first fault, or `undefined` for valid JSON, however deep. */
export const find = (source: string): Fault | undefined => {
  if (Option.isSome(parse(source.replace(/^\ufeff/, "")))) return undefined
  const read = Jsonc.parseStrict(source)
  return Result.isSuccess(read) ? undefined : { line: read.failure.line, message: read.failure.message }
}
