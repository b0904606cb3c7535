/**
 * Texts that steer a running run: put in by whoever watches it, taken out between its steps. Closes when the run
 * gives its last answer, so that no text is ever lost in silence.
 */
import { Excerpt } from "@cow/core"
import * as Effect from "effect/Effect"

export type SteerOutcome = "accepted" | "inactive" | "invalid" | "full" | "closing"

export interface Inbox {
  readonly offer: (text: string) => Effect.Effect<SteerOutcome>
  readonly isEmpty: Effect.Effect<boolean>
  /** All that waits, in order; nothing waits afterwards. */
  readonly takeAll: Effect.Effect<ReadonlyArray<string>>
  /** Closes it if nothing waits; gives whether it is closed. */
  readonly closeIfEmpty: Effect.Effect<boolean>
}

export const make = (limits: {
  readonly maxChars: number
  readonly maxPending: number
}): Effect.Effect<Inbox> =>
  Effect.sync(() => {
    let waiting: ReadonlyArray<string> = []
    let closed = false
    const offer = (text: string): SteerOutcome => {
      if (!isText(text, limits.maxChars)) return "invalid"
      if (closed) return "closing"
      if (waiting.length >= limits.maxPending) return "full"
      waiting = [...waiting, Excerpt.wellFormed(text)]
      return "accepted"
    }
    return {
      offer: (text) => Effect.sync(() => offer(text)),
      isEmpty: Effect.sync(() => waiting.length === 0),
      takeAll: Effect.sync(() => {
        const taken = waiting
        waiting = []
        return taken
      }),
      closeIfEmpty: Effect.sync(() => {
        closed ||= waiting.length === 0
        return closed
      })
    }
  })

/** Not blank, and not longer than `maxChars`. */
export const isText = (text: string, maxChars: number): boolean =>
  text.trim() !== "" && text.length <= maxChars

/** As the model reads it: one text as it is, several numbered. */
export const render = (texts: ReadonlyArray<string>): string =>
  texts.length === 1 ? (texts[0] as string) : texts.map((text, at) => `${at + 1}. ${text}`).join("\n")
