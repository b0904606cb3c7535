/**
 * The shape of what mends a provider's stream before the AI SDK reads it: a pure fold over the data of its events. One
 * file a wire (`ChatStream`, `AnthropicStream`, `ResponsesStream`, `GoogleStream`); bytes are `SseBody`'s.
 */
import { JsonValue, type Message } from "@cow/core"

export interface Folded<S> {
  readonly state: S
  /** What the SDK sees in place of this event. */
  readonly pass: ReadonlyArray<string>
  /** The reply is at its end: nothing after it is waited for. */
  readonly ended: boolean
}

export interface WireFold<S> {
  readonly initial: S
  /** @param data of one event, as it was sent */
  readonly step: (state: S, data: string) => Folded<S>
  /**
   * When nothing more comes, be it that the source ended or that it broke off: what a reply that is whole still lacks,
   * or null for one that is not whole.
   */
  readonly end: (state: S) => ReadonlyArray<string> | null
}

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
