/** One simple command of the tree: its assignments, words and redirections. Lists, groups and loops are `ShellStep`. */
import type { Assignment, Command, Redirection, Word } from "unbash"
import { behind, doubtful, literal, type ShellWord } from "./ShellWord.ts"
import { bodyOf, computedOf, wordOf } from "./WordReading.ts"

export interface ShellRedirect {
  /** `<`, `>`, `>>`, `>|`, `&>`, `&>>`, `>&`, `<&`, `<>`, `<<<`, `<<`. */
  readonly operator: string
  /** The target; of `<<` the text itself. */
  readonly target: ShellWord
  /** The variable that gets the number of what is opened: of `{name}>f`. */
  readonly sets?: string
}

interface ShellAssignment {
  readonly name: string
  readonly value: ShellWord
}

export interface SimpleCommand {
  readonly assignments: ReadonlyArray<ShellAssignment>
  readonly words: ReadonlyArray<ShellWord>
  readonly redirects: ReadonlyArray<ShellRedirect>
}

/** End words about which there are no two opinions; where others end a here-document is not sure. */
const plainEnd = /^(?:\\?[A-Za-z_][\w.-]*|'[A-Za-z_][\w.-]*'|"[A-Za-z_][\w.-]*")$/

const target = (word: Word | undefined): ShellWord =>
  word === undefined ? { parts: [doubtful("a redirection has no target")] } : wordOf(word)

export const redirectOf = (redirect: Redirection): ShellRedirect => {
  const sets =
    redirect.descriptor?.type === "FileDescriptorVariable" ? { sets: redirect.descriptor.name } : {}
  if (redirect.type !== "HereDoc")
    return { operator: redirect.operator, target: target(redirect.target), ...sets }
  const { body, closing, delimiter } = redirect
  const isSure = closing !== undefined && delimiter !== undefined && plainEnd.test(delimiter.text)
  const text = bodyOf(body, delimiter?.quoted === true)
  const doubt = doubtful("it holds a here-document whose end is not plain to see")
  return { operator: "<<", target: isSure ? text : { parts: [...text.parts, doubt] }, ...sets }
}

/** An element `[index]=value` is computed with, where the list is none by name. */
const element = (word: Word): ShellWord =>
  /^\[\d+\]=/.test(word.text) || !word.text.startsWith("[") ? wordOf(word) : computedOf(word)

/** `NAME=value`, `NAME=(a b)`, `NAME[index]=value`: each value, and what is computed with. */
const assigned = ({ index, name, value }: Assignment): ReadonlyArray<ShellAssignment> => [
  ...(index === undefined ? [] : [{ name: "_", value: computedOf(index) }]),
  ...(value.type === "Word"
    ? [{ name, value: wordOf(value) }]
    : value.elements.map((word) => ({ name, value: element(word) })))
]

/** `export NAME=value`: a word of its own where it can be one. */
const isWord = ({ index, value }: Assignment): boolean => index === undefined && value.type === "Word"

export const simpleOf = (command: Command): SimpleCommand => {
  const assignments: Array<ShellAssignment> = []
  const words: Array<ShellWord> = command.name === undefined ? [] : [wordOf(command.name)]
  for (const item of command.prefix) if (item.type === "Assignment") assignments.push(...assigned(item))
  for (const item of command.args)
    if (item.type === "Word") words.push(wordOf(item))
    else if (isWord(item) && item.value.type === "Word")
      words.push(behind(`${item.name}${item.append === true ? "+" : ""}=`, wordOf(item.value)))
    else assignments.push(...assigned(item))
  return { assignments, words, redirects: command.redirects.map(redirectOf) }
}

/** The name of a function or of a loop's variable, if it is plain. */
export const nameOf = (word: Word): string => literal(wordOf(word)) ?? "_"
