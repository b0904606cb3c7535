/**
 * Reads a word of unbash's tree into `ShellWord`: escapes, quotes, globs, expansions. What cannot be read without a
 * doubt says so; nothing is left out. `${ }` is `ShellParameter`, computing is `ShellArithmetic`. Pure.
 */
import type {
  ArithmeticCommandExpansion,
  ArithmeticExpression,
  ArithmeticWord,
  CommandExpansionPart,
  HereDocBody,
  ProcessSubstitutionPart,
  WordPart as TreePart,
  Word
} from "unbash"
import * as ShellArithmetic from "./ShellArithmetic.ts"
import * as ShellParameter from "./ShellParameter.ts"
import { doubtful, literal, type ShellWord, unknownOf, type WordPart } from "./ShellWord.ts"

type Parts = ReadonlyArray<WordPart>

const joined = (text: string): string => text.replaceAll("\\\n", "")

/** Text in no quotes: behind a backslash a character stands for itself. */
const unquoted = (text: string): Parts =>
  joined(text)
    .split(/(\\[\s\S])/)
    .filter((piece) => piece !== "")
    .map((piece) =>
      piece.startsWith("\\")
        ? { _tag: "Text", text: piece.slice(1), quoted: true }
        : { _tag: "Text", text: piece, quoted: false }
    )

/** Parts stand next to each other from the first character of their word to its last: none was overlooked. */
const areWhole = (
  parts: ReadonlyArray<{ readonly pos: number; readonly end: number }>,
  from: number,
  to: number
): boolean => {
  let at = from
  for (const { end, pos } of parts) {
    if (pos !== at || end < pos) return false
    at = end
  }
  return at === to
}

const overlooked = doubtful("a part of it cannot be read")

const script = ({
  script
}: CommandExpansionPart | ArithmeticCommandExpansion | ProcessSubstitutionPart): Parts =>
  script === undefined ? [overlooked] : [{ _tag: "Unknown", script }]

/** `$NAME`, `$1`, `$?`. */
const simple = (text: string, quoted: boolean): WordPart => {
  const name = joined(text).slice(1)
  if (/^[A-Za-z_]\w*$/.test(name)) return { _tag: "Variable", name, quoted }
  return /^[0-9@*#?$!-]$/.test(name) ? { _tag: "Unknown", isNumber: /[#?$!]/.test(name) } : overlooked
}

/** What its parts run, where the text itself is not known. */
const opaque = (parts: ReadonlyArray<TreePart> | undefined, quoted: boolean): Parts => [
  { _tag: "Unknown" },
  ...unknownOf((parts ?? []).flatMap((part) => read(part, quoted)))
]

const split = (parts: Parts, quoted: boolean): Parts =>
  quoted
    ? parts
    : parts.map((part) =>
        part._tag === "Unknown" && part.isNumber !== true ? { ...part, splits: true } : part
      )

/** Whether `'` quotes in a `${ }` that is quoted itself depends on where that stands and on its form. */
const quotesUnclearly = (text: string): boolean => text.includes("'") && /[$`]/.test(text.slice(1))

const read = (part: TreePart, quoted: boolean): Parts => {
  switch (part.type) {
    case "Literal":
      return quoted ? [{ _tag: "Text", text: part.value, quoted }] : unquoted(part.text)
    case "SingleQuoted":
      return [{ _tag: "Text", text: part.value, quoted: true }]
    case "AnsiCQuoted":
      return part.text.includes("\\")
        ? [{ _tag: "Unknown" }]
        : [{ _tag: "Text", text: part.value, quoted: true }]
    case "DoubleQuoted":
      return areWhole(part.parts, part.pos + 1, part.end - 1)
        ? [{ _tag: "Text", text: "", quoted: true }, ...part.parts.flatMap((inner) => read(inner, true))]
        : [...opaque(part.parts, true), overlooked]
    case "LocaleString":
      return opaque(part.parts, true)
    case "SimpleExpansion":
      return split([simple(part.text, quoted)], quoted)
    case "ParameterExpansion": {
      const { operands, part: own } = ShellParameter.read(part, quoted, (word) => literal(wordOf(word)))
      const inner = unknownOf(operands.flatMap((word) => wordOf(word).parts))
      return [
        ...split([own, ...inner], quoted),
        ...(quoted && quotesUnclearly(part.text) ? [overlooked] : [])
      ]
    }
    case "CommandExpansion":
      // `${ …; }` runs in this shell and may change it.
      return part.text.startsWith("${")
        ? [...script(part), doubtful("it runs commands that may change the shell itself")]
        : split(script(part), quoted)
    case "ArithmeticExpansion":
      return arithmetic(part.expression, joined(part.text))
    case "ProcessSubstitution":
      return script(part)
    case "Glob":
      return part.kind === "bracket" && part.parts.some(({ type }) => type !== "Literal")
        ? opaque(part.parts, quoted)
        : [{ _tag: "Text", text: part.text, quoted }]
    case "BraceExpansion":
      return opaque(part.parts, quoted)
    case "ExtendedGlob":
      // Bash reads these only where a setting is on.
      return [...opaque(part.parts, quoted), doubtful("it holds a pattern that not every bash reads alike")]
  }
}

export const wordOf = (word: Word): ShellWord => {
  if (word.parts === undefined)
    return { parts: /(?<!\\)(?:\\\\)*[$`'"]/.test(word.text) ? [overlooked] : unquoted(word.text) }
  const parts = word.parts.flatMap((part) => read(part, false))
  return { parts: areWhole(word.parts, word.pos, word.end) ? parts : [...parts, overlooked] }
}

/** The text of a here-document; `quoted`: nothing in it is expanded. */
export const bodyOf = ({ parts, text }: HereDocBody, quoted: boolean): ShellWord => {
  if (quoted) return { parts: [{ _tag: "Text", text, quoted: true }] }
  if (parts === undefined)
    return { parts: /[$`]/.test(text) ? [overlooked] : [{ _tag: "Text", text, quoted: true }] }
  return { parts: parts.flatMap((part) => read(part, true)) }
}

/** A leaf of an expression: a name, a number, or what is expanded to one. */
const leaf = (word: ArithmeticWord | ArithmeticCommandExpansion): Parts => {
  if (word.type === "ArithmeticCommandExpansion") return ShellArithmetic.computed("", script(word))
  const parts = (word.parts ?? []).flatMap((part) => read(part, true))
  if (parts.length === 0) return ShellArithmetic.computed(word.value.replace(/\$(?=[A-Za-z_])/g, " "), [])
  const text = parts.map((part) => (part._tag === "Text" ? part.text : " ")).join("")
  return ShellArithmetic.computed(text, parts)
}

/** What an expression computes with. `text`: the whole of it, for one that is missing. */
export const arithmetic = (expression: ArithmeticExpression | undefined, text: string): Parts => {
  if (expression !== undefined) return ShellArithmetic.leaves(expression).flatMap(leaf)
  return /^[$([\s)\]]*$/.test(text) ? [{ _tag: "Unknown", isNumber: true }] : [overlooked]
}

/** A word whose value is computed with. */
export const computedOf = (word: Word): ShellWord => {
  const { parts } = wordOf(word)
  const text = parts.map((part) => (part._tag === "Text" ? part.text : "")).join("")
  return { parts: ShellArithmetic.computed(text, parts) }
}
