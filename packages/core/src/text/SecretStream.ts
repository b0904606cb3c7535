/**
 * Takes known secrets out of a text that comes in pieces: what comes out is what `Secrets` makes of the whole, however it
 * is cut. Pure but for what is held back.
 */
import * as Secrets from "./Secrets.ts"

export interface SecretStream {
  /** The masked text that is certain; up to the length of a secret, or of several that overlap, may be held back. */
  readonly push: (text: string) => string
  /** What `push` would give, and nothing changes. */
  readonly peek: (text: string) => string
  /** What was held back. Nothing follows. */
  readonly end: () => string
}

const openCharacter = /[\ud800-\udbff]$/

/** Where the longest end begins that what follows may make a secret: its beginning, or a short one that may be part of a word. */
const openFrom = (text: string, forms: ReadonlyArray<string>): number => {
  const longest = Math.min(text.length, Math.max(...forms.map(({ length }) => length)))
  for (let at = text.length - longest; at < text.length; at++) {
    const end = text.slice(at)
    if (forms.some((form) => form.startsWith(end) && !(form === end && Secrets.isFoundAnywhere(form))))
      return at
  }
  return text.length
}

/** The text that is certain, the one that is not, and the character before it as it came. */
interface Split {
  readonly certain: string
  readonly held: string
  readonly before: string
}

export const make = (secrets: ReadonlyArray<string>): SecretStream => {
  const forms = Secrets.formsOf(secrets)
  if (forms.length === 0) return { push: (text) => text, peek: (text) => text, end: () => "" }
  let held = ""
  /** A short secret behind a letter is none. */
  let before = ""
  const cut = (text: string, to: number, spans: ReadonlyArray<Secrets.Span>): Split => ({
    certain: Secrets.cover(text, spans, before.length, to),
    held: text.slice(to),
    before: text.slice(Math.max(0, to - 2), to)
  })
  const split = (piece: string): Split => {
    const text = before + held + piece
    const known = openCharacter.test(text) ? text.slice(0, -1) : text
    const spans = Secrets.spansOf(known, forms)
    const open = Math.max(before.length, openFrom(known, forms))
    const crossed = spans.find(({ from, to }) => from < open && open < to)
    return cut(text, crossed?.from ?? open, spans)
  }
  return {
    push: (piece) => {
      const next = split(piece)
      held = next.held
      before = next.before
      return next.certain
    },
    peek: (piece) => split(piece).certain,
    end: () => {
      const text = before + held
      const { certain } = cut(text, text.length, Secrets.spansOf(text, forms))
      held = ""
      before = ""
      return certain
    }
  }
}
