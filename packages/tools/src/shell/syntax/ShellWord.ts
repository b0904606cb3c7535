/** A word of a shell text as values: what of it is fixed, what is known at run time only. Made by `WordReading`. Pure. */
import type { ParsedScript } from "unbash"

export interface UnknownPart {
  readonly _tag: "Unknown"
  /** What is run to know it. It may have errors of its own. */
  readonly script?: ParsedScript
  /** The text it has where a variable has none. */
  readonly fallback?: string
  /** The shell computes with, or runs, what variables hold: their values may hold commands. */
  readonly evaluates?: boolean
  /** Why nobody can say what it is. */
  readonly doubt?: string
  /** Names that are computed with as numbers. */
  readonly numbers?: ReadonlyArray<string>
  /** In no quotes: it may become several words. */
  readonly splits?: boolean
  /** Surely a number. */
  readonly isNumber?: boolean
}

export type WordPart =
  /** Fixed text. `quoted`: no blanks, globs, braces or `~` are expanded in it. */
  | { readonly _tag: "Text"; readonly text: string; readonly quoted: boolean }
  /** `$NAME` or `${NAME}`. */
  | { readonly _tag: "Variable"; readonly name: string; readonly quoted: boolean }
  | UnknownPart

export interface ShellWord {
  readonly parts: ReadonlyArray<WordPart>
}

export const doubtful = (doubt: string): UnknownPart => ({ _tag: "Unknown", doubt })

/** Of parts whose text plays no role, what they run. */
export const unknownOf = (parts: ReadonlyArray<WordPart>): ReadonlyArray<UnknownPart> =>
  parts.filter((part) => part._tag === "Unknown")

/** The text as it stands if nothing in it is expanded. */
export const literal = ({ parts }: ShellWord): string | undefined => {
  let text = ""
  for (const part of parts) {
    if (part._tag !== "Text") return undefined
    text += part.text
  }
  return text
}

/** A word that is one piece of plain text, as reserved words are. */
export const bare = ({ parts }: ShellWord): string | undefined => {
  const [only, ...more] = parts
  return only?._tag === "Text" && !only.quoted && more.length === 0 ? only.text : undefined
}

/** Surely a number, or nothing. */
export const isNumber = ({ parts }: ShellWord): boolean =>
  parts.every((part) =>
    part._tag === "Text" ? /^-?\d*$/.test(part.text) : part._tag === "Unknown" && part.isNumber === true
  )

/** The same word with plain text in front. */
export const behind = (head: string, { parts }: ShellWord): ShellWord => {
  const [first, ...rest] = parts
  return first?._tag === "Text" && !first.quoted
    ? { parts: [{ ...first, text: head + first.text }, ...rest] }
    : { parts: [{ _tag: "Text", text: head, quoted: false }, ...parts] }
}
