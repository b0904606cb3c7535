/**
 * Takes the values of secrets out of text that passes by. Pure; a secret cut in two by the pieces of a stream is
 * found too. Which files hold secrets is `SecretFiles`.
 */
import { Secrets } from "@cow/core"

export const masked = Secrets.mask

/** Shorter values would hide ordinary words. */
const minSecretChars = 8

/** The values in the text of a JSON or `.env` file that are worth hiding. */
export const secretsIn = (text: string): ReadonlyArray<string> => {
  const values = new Set<string>()
  for (const [, value = "", colon] of text.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/g))
    if (colon === undefined) values.add(value)
  for (const match of text.matchAll(/^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*(['"]?)(.*?)\1\s*$/gm))
    values.add(match[2] ?? "")
  return [...values].filter((value) => value.length >= minSecretChars).sort((a, b) => b.length - a.length)
}

export interface Mask {
  /** The masked text that is certain; up to the length of a secret may be held back. */
  readonly push: (text: string) => string
  /** What `push` would give, and nothing changes. */
  readonly peek: (text: string) => string
  /** What was held back. */
  readonly end: () => string
}

export const make = (secrets: ReadonlyArray<string>): Mask => {
  if (secrets.length === 0) return { push: (text) => text, peek: (text) => text, end: () => "" }
  let held = ""
  const hide = (text: string): string =>
    secrets.reduce((value, secret) => value.replaceAll(secret, () => masked), text)
  /** The longest end of the text that may be the beginning of a secret. */
  const openEnd = (text: string): number => {
    const longest = Math.min(text.length, Math.max(...secrets.map(({ length }) => length)) - 1)
    for (let size = longest; size > 0; size--) {
      const end = text.slice(text.length - size)
      if (secrets.some((secret) => secret.startsWith(end))) return size
    }
    return 0
  }
  /** What is certain, and what is held back. */
  const split = (text: string): readonly [string, string] => {
    const whole = hide(held + text)
    const certain = whole.length - openEnd(whole)
    return [whole.slice(0, certain), whole.slice(certain)]
  }
  return {
    push: (text) => {
      const [certain, open] = split(text)
      held = open
      return certain
    },
    peek: (text) => split(text)[0],
    end: () => {
      const rest = held
      held = ""
      return rest
    }
  }
}
