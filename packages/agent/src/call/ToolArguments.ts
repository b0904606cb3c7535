/**
 * The argument text of a tool call, as a model wrote it, read as an object or told what is wrong with it.
 *
 * Half an object is never repaired into a whole one: a call that was cut off must not run. Pure. Whether an object
 * fits the tool's schema is the dispatcher's.
 */
import { Excerpt, type Message } from "@cow/core"

export type Arguments =
  | { readonly _tag: "Read"; readonly input: Message.JsonObject }
  /** The output limit or the connection cut the call off. */
  | { readonly _tag: "CutOff" }
  | { readonly _tag: "Invalid"; readonly reason: string }

type Json = Message.JsonObject[string]

/** @param cut the reply ended at the output limit */
export const parse = (text: string, cut: boolean): Arguments => {
  const trimmed = text.trim()
  if (trimmed === "") return cut ? { _tag: "CutOff" } : { _tag: "Read", input: {} }
  try {
    const value = JSON.parse(trimmed) as Json
    if (value === null || typeof value !== "object" || Array.isArray(value)) {
      const kind = value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`
      return { _tag: "Invalid", reason: `the arguments must be an object, not ${kind}` }
    }
    // Lone halves of surrogate pairs, which JSON escapes can hold, become U+FFFD.
    return { _tag: "Read", input: Excerpt.wellFormedDeep(value as Message.JsonObject) }
  } catch (cause) {
    // A text that was cut off can end in the brace of what it was about to write.
    if (cut || !trimmed.endsWith("}")) return { _tag: "CutOff" }
    return { _tag: "Invalid", reason: `Invalid JSON in tool arguments: ${(cause as Error).message}` }
  }
}
