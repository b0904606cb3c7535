/**
 * Takes known secrets out of a text. Pure. Which texts are secret, finding one by its shape, and hiding one in a stream
 * are for whoever holds the text.
 */

/** What stands in a secret's place. */
export const mask = "********"

interface Span {
  readonly from: number
  readonly to: number
}

/** Also those that begin inside one another. */
const spansOf = (text: string, secret: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
    spans.push({ from: at, to: at + secret.length })
  return spans
}

/** Every secret in the text becomes the mask; those that overlap become one, so that none leaves a rest. */
export const hide = (text: string, secrets: ReadonlyArray<string>): string => {
  const spans = secrets
    .filter((secret) => secret !== "")
    .flatMap((secret) => spansOf(text, secret))
    .sort((left, right) => left.from - right.from || right.to - left.to)
  let out = ""
  let end = 0
  for (const { from, to } of spans) {
    // Inside what the mask before stands for, or reaching beyond it.
    if (from >= end) out += text.slice(end, from) + mask
    end = Math.max(end, to)
  }
  return out + text.slice(end)
}
