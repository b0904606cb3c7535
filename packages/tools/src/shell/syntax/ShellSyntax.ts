/** What a shell command is made of, as values. Made by `ShellCommand.parse`; what a command does is `CommandJudge`. */

export type WordPart =
  /** Fixed text. `quoted`: no blanks, globs, braces or `~` are expanded in it. */
  | { readonly _tag: "Text"; readonly text: string; readonly quoted: boolean }
  /** `$NAME` or `${NAME}`. */
  | { readonly _tag: "Variable"; readonly name: string; readonly quoted: boolean }
  /**
   * Known at run time only; `script` is what is run to know it, `fallback` the text it has where a variable has
   * none. `evaluates`: the shell computes with, or runs, what variables hold: their values may hold commands.
   */
  | {
      readonly _tag: "Unknown"
      readonly script?: Script
      readonly fallback?: string
      readonly evaluates?: boolean
      /** Names that are computed with as numbers. */
      readonly numbers?: ReadonlyArray<string>
      /** In no quotes: it may become several words. */
      readonly splits?: boolean
      /** Surely a number. */
      readonly isNumber?: boolean
    }

export interface Word {
  readonly parts: ReadonlyArray<WordPart>
}

/** The text is no shell command. Thrown inside the parser only. */
export class ShellFault {
  constructor(readonly message: string) {}
}

export interface Redirect {
  /** `<`, `>`, `>>`, `>|`, `&>`, `&>>`, `>&`, `<&`, `<>`, `<<<`, `<<`. */
  readonly operator: string
  /** The target; of `<<` the text itself. */
  readonly target: Word
}

/** What stands between a command and the next one of its list. */
export type Joint = ";" | "&" | "&&" | "||" | "|"

export interface SimpleCommand {
  readonly _tag: "Simple"
  readonly joint?: Joint
  readonly assignments: ReadonlyArray<{ readonly name: string; readonly value: Word }>
  readonly words: ReadonlyArray<Word>
  readonly redirects: ReadonlyArray<Redirect>
}

/** Commands in brackets, a loop, a condition, a function: whatever of them may run. */
export interface CommandGroup {
  readonly _tag: "Group"
  readonly joint?: Joint
  /** True: what it does to the working folder ends with it. */
  readonly subshell: boolean
  readonly body: Script
  /** Variables it gives values: of `for` and `select`. */
  readonly sets?: ReadonlyArray<string>
  /** Words that are expanded but not run: of `for`, `case`, `[[`. */
  readonly words: ReadonlyArray<Word>
  readonly redirects: ReadonlyArray<Redirect>
}

export type ShellNode = SimpleCommand | CommandGroup

/** In the order of the text. */
export type Script = ReadonlyArray<ShellNode>

/** The text as it stands if nothing in it is expanded. */
export const literal = ({ parts }: Word): string | undefined => {
  let text = ""
  for (const part of parts) {
    if (part._tag !== "Text") return undefined
    text += part.text
  }
  return text
}

/** A word that is one piece of plain text, as reserved words are. */
export const bare = ({ parts }: Word): string | undefined => {
  const [only, ...more] = parts
  return only?._tag === "Text" && !only.quoted && more.length === 0 ? only.text : undefined
}

/** The last command of the text, the one whose exit code counts. */
export const lastCommand = (script: Script): SimpleCommand | undefined => {
  const last = script.at(-1)
  return last === undefined || last._tag === "Simple" ? last : lastCommand(last.body)
}
