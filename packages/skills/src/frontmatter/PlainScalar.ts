/**
 * Values on one line, read without the YAML parser: plain words and sentences, simple quotes, lists of words, JSON.
 *
 * Pure. Whatever is not certainly this simple is undefined and left to the parser; blocks of lines are
 * `PlainFrontmatter`.
 */

const char = String.raw`[\x20-\x7E\xA1-\u1FFF\u2010-\u2027\u2030-\u205E\u2070-\uD7FF\u{10000}-\u{10FFFF}]`
/** Every character is printable and none is a line end or a mark of order. */
const printable = new RegExp(`^${char}*$`, "u")
/** What ends a plain value early or makes it no value: a comment, a key inside, a word for null. */
const doubtful = /:(?: |$)| #|^null$/i
const word = /^[A-Za-z0-9_][\w./+@-]*$/
/** In `metadata` numbers and booleans keep their type, so only what is text for certain is taken as text. */
const textual = /^(?!(?:true|false|null)$)[A-Za-z]/i

/** `typed`: below `metadata`, where a value keeps its type. Elsewhere every scalar is the text it was written as. */
export type Typed = boolean

export const isPrintable = (text: string): boolean => printable.test(text)

const plain = (text: string, typed: Typed): string | boolean | undefined => {
  if (!/^[A-Za-z0-9]/.test(text) || !printable.test(text) || doubtful.test(text)) return undefined
  if (!typed || textual.test(text)) return text
  return text === "true" ? true : text === "false" ? false : undefined
}

const quoted = (text: string): string | undefined => {
  const inner = /^"([^"\\]*)"$/.exec(text)?.[1] ?? /^'([^']*)'$/.exec(text)?.[1]
  return inner !== undefined && printable.test(inner) ? inner : undefined
}

/** One item of a list, in either form. */
export const item = (text: string, typed: Typed): string | undefined => {
  const inQuotes = quoted(text)
  if (inQuotes !== undefined) return inQuotes
  if (!word.test(text) || /^null$/i.test(text)) return undefined
  return typed && !textual.test(text) ? undefined : text
}

const list = (text: string, typed: Typed): ReadonlyArray<string> | undefined => {
  const inner = /^\[([^[\]{}]*)\]$/.exec(text)?.[1]
  if (inner === undefined) return undefined
  const items = inner.split(",").map((one) => item(one.replace(/^ +|(?<! ) +$/g, ""), typed))
  return items.every((one) => one !== undefined) ? items : undefined
}

/** A JSON object whose text is its own normal form, so that no key stands twice and no number changes. */
const json = (text: string): unknown => {
  if (!/^\{"[\x20-\x7E]*\}$/.test(text) || /[\\\t]|__proto__/.test(text)) return undefined
  const compact = text.replace(/("[^"]*")| +/g, (_, kept: string | undefined) => kept ?? "")
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === compact ? value : undefined
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** A value behind `key: `, without blanks around it. */
export const value = (text: string, typed: Typed): unknown =>
  plain(text, typed) ?? quoted(text) ?? list(text, typed) ?? (typed ? json(text) : undefined)
