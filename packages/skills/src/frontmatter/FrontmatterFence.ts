/**
 * Where the frontmatter of a Markdown file begins and ends. Pure; what stands between the fences is `Frontmatter`'s.
 *
 * The text is read as lines: a byte-order mark and CR line ends are gone, so line numbers are those of the file.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export class FrontmatterInvalid extends Schema.TaggedError<FrontmatterInvalid>()("FrontmatterInvalid", {
  reason: Schema.Literals(["absent", "language", "too_large", "unreadable", "no_map"]),
  /** In the file, from 1. */
  line: Schema.Number,
  /** One line for people, without the path. */
  message: Schema.String
}) {}

export interface Fenced {
  /** The lines between the fences, joined by `\n`. */
  readonly block: string
  readonly body: string
}

/** Larger blocks are refused, not parsed. In UTF-16 units. */
export const maxBlockChars = 32_768

/** Fails with `absent` (no opening or no closing fence), `language` (a fence that names another one), `too_large`. */
export const split = (text: string): Result.Result<Fenced, FrontmatterInvalid> => {
  const whole = text.replace(/^\uFEFF/, "")
  const firstEnd = /[\r\n]|$/.exec(whole)?.index ?? 0
  const opening = whole.slice(0, firstEnd)
  if (!/^---(?!-)/.test(opening)) return invalid("absent", 1, "no frontmatter: the first line is not ---")
  const language = opening.slice(3).trim()
  if (!/^(ya?ml)?$/i.test(language))
    return invalid("language", 1, `only YAML frontmatter is read, not "${language.slice(0, 40)}"`)
  const closing = new RegExp(closingFence)
  closing.lastIndex = firstEnd
  const end = closing.exec(whole)
  if (end === null) return invalid("absent", 1, "no frontmatter: it is never closed by ---")
  // A large one is refused by its length alone, before anything of it is looked at.
  const block =
    end.index - firstEnd > 2 * maxBlockChars ? undefined : inside(whole.slice(firstEnd, end.index))
  if (block === undefined || block.length > maxBlockChars)
    return invalid("too_large", 1, `the frontmatter is longer than ${maxBlockChars} characters`)
  return Result.succeed({ block, body: inside(whole.slice(end.index + end[0].length)) })
}

/** On a line of its own, which is not the first; blanks may follow. */
const closingFence = /(?:\r\n|\r|\n)---[^\S\r\n]*(?=\r|\n|$)/g

/** What follows a line end, or nothing; line ends are `\n`. */
const inside = (text: string): string => text.replace(/\r\n?/g, "\n").slice(1)

const invalid = (reason: FrontmatterInvalid["reason"], line: number, message: string) =>
  Result.fail(new FrontmatterInvalid({ reason, line, message }))
