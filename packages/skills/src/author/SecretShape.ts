/**
 * Values in a text that look like secrets by their shape or by the word before them. Pure; knows no stored secret and
 * hides nothing by itself: it names the places.
 */
import { Secrets } from "@cow/core"

export interface SecretPlace {
  /** From 1. */
  readonly line: number
  /** The value with all but its beginning masked. */
  readonly masked: string
}

/** Known by their own beginning. The value is the last group. */
const prefixed: ReadonlyArray<RegExp> = [
  /\bbearer\s+([A-Za-z0-9._~+/=-]{16,})/gi,
  /\b(sk-[A-Za-z0-9_-]{16,})/g,
  /\b(gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})/g,
  /\b((?:AKIA|ASIA)[A-Z0-9]{16})\b/g,
  /\b(xox[abprs]-[A-Za-z0-9-]{10,})/g,
  /\b(AIza[A-Za-z0-9_-]{30,})/g
]

/** Known by the word before; what stands before that word does not matter, and looking at it would take for ever. */
const assigned =
  /(?:token|passw(?:or)?d|secret|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s*[:=]\s*["']?([^\s"'`,;)]{8,})/gi

/** What stands for a value instead of being one: a variable, a blank to fill in, a word of three dots. */
const placeholder =
  /^[$<{[(%]|^\*+$|x{6,}|\.\.\.|…|^(?:your|my|example|changeme|placeholder|redacted|required|optional)|^(?:process|os|env|import|settings|config)\b[.[]/i
const variableName = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/

/** Letters with digits or signs among them: an ordinary word is no secret. */
const isMixed = (value: string): boolean => /\d/.test(value) || /[^A-Za-z0-9]/.test(value.slice(1, -1))

const isFilled = (value: string): boolean => !placeholder.test(value) && !variableName.test(value)

const valuesOf = (line: string, shape: RegExp): ReadonlyArray<string> =>
  [...line.matchAll(shape)].map((match) => match.at(-1) as string).filter(isFilled)

const mask = (value: string): string => `${value.slice(0, 4)}${Secrets.mask}`

/** One a line and value, in the order of the text. */
export const find = (text: string): ReadonlyArray<SecretPlace> =>
  text.split(/\r\n|\r|\n/).flatMap((line, at) => {
    const values = [
      ...prefixed.flatMap((shape) => valuesOf(line, shape)),
      ...valuesOf(line, assigned).filter(isMixed)
    ]
    const whole = [...new Set(values)].filter(
      (value) => !values.some((other) => other !== value && other.includes(value))
    )
    return whole.map((value) => ({ line: at + 1, masked: mask(value) }))
  })
