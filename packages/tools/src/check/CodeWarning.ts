/**
 * What is said of code that stops parsing with a change. Data that does not parse is refused instead: that is
 * `DocumentCheck`, whose parsers are used for JavaScript and TypeScript; Python is `PythonCheck`.
 */
import * as Effect from "effect/Effect"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import * as DocumentCheck from "./DocumentCheck.ts"
import * as Fault from "./Fault.ts"
import * as PythonCheck from "./PythonCheck.ts"

export const make = Effect.fnUntraced(function* (settings: BuiltinSettings) {
  const python = yield* PythonCheck.make(settings)

  const faultOf = (file: string, text: string): Effect.Effect<Fault.Fault | undefined> =>
    /\.pyi?$/.test(file) ? python(text) : Effect.sync(() => DocumentCheck.codeFault(file, text))

  /** A line to add to the result where the code was fine, or new, and is broken now; else empty. */
  return Effect.fnUntraced(function* (file: string, before: string | undefined, after: string) {
    const fault = yield* faultOf(file, after)
    if (fault === undefined) return ""
    if (before !== undefined && (yield* faultOf(file, before)) !== undefined) return ""
    return `\n[warning: ${file} does not parse now: ${Fault.describe(fault)}]`
  })
})
