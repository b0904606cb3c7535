/**
 * Takes known secrets out of a text. Pure. Which texts are secret, and finding one by its shape, are for whoever holds
 * the text; a text that comes in pieces is `SecretStream`'s.
 */

/** What stands in a secret's place. */
export const mask = "********"

/** Shorter ones are hidden where they stand as a word of their own: their letters occur in others. */
const minAnywhereChars = 8

/** `from` up to, not including, `to`. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** What stands around it does not matter. */
export const isFoundAnywhere = (form: string): boolean => form.length >= minAnywhereChars

/** As they may stand in a text: as they are, and as a part of an address. What is blank hides nothing. */
export const formsOf = (secrets: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(
    secrets
      .filter((secret) => secret.trim() !== "")
      .flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())])
  )
]

const endsInWord = /[\p{L}\p{M}\p{N}_]$/u
const beginsWithWord = /^[\p{L}\p{M}\p{N}_]/u

/** A character may take two places. */
const standsAlone = (text: string, { from, to }: Span): boolean =>
  !endsInWord.test(text.slice(Math.max(0, from - 2), from)) && !beginsWithWord.test(text.slice(to, to + 2))

/** Also those that begin inside one another. */
const occurrences = (text: string, form: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    const span = { from: at, to: at + form.length }
    if (isFoundAnywhere(form) || standsAlone(text, span)) spans.push(span)
  }
  return spans
}

/** What a mask has to cover, in order; those that overlap are one, so that none leaves a rest. */
export const spansOf = (text: string, forms: ReadonlyArray<string>): ReadonlyArray<Span> => {
  const all = forms
    .flatMap((form) => occurrences(text, form))
    .sort((left, right) => left.from - right.from || right.to - left.to)
  const spans: Array<Span> = []
  for (const span of all) {
    const last = spans.at(-1)
    if (last === undefined || span.from >= last.to) spans.push(span)
    else spans[spans.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
  }
  return spans
}

/** The part of the text from `from` to `to`, in which no span begins before or ends behind. */
export const cover = (text: string, spans: ReadonlyArray<Span>, from: number, to: number): string => {
  let out = ""
  let end = from
  for (const span of spans) {
    if (span.from < from || span.to > to) continue
    out += text.slice(end, span.from) + mask
    end = span.to
  }
  return out + text.slice(end, to)
}

/**
 * Every secret in the text becomes the mask. One of eight characters or more is found anywhere, also inside a word; a
 * shorter one where no letter, digit or `_` touches it.
 */
export const hide = (text: string, secrets: ReadonlyArray<string>): string =>
  cover(text, spansOf(text, formsOf(secrets)), 0, text.length)
