/**
 * What a text from elsewhere holds, be it a piece of a stream, an error or a message: an object, something said,
 * arguments that can run. Pure.
 */
import { JsonValue, type Message } from "@cow/core"

/** The object that a text holds; undefined for anything else. */
export const objectIn = (text: string): Message.JsonObject | undefined => {
  // Most texts that are asked are pieces: they are told by their last sign.
  if (!text.trimEnd().endsWith("}")) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return JsonValue.isObject(value) ? value : undefined
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** A text that says something; undefined for a blank one and for anything else. */
export const said = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

/** Arguments with which a call can run: an object, or nothing at all. */
export const isCallable = (written: string): boolean =>
  written.trim() === "" || objectIn(written) !== undefined
