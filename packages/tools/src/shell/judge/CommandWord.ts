/** What a word of a command is when the shell has expanded it, as far as that is known before it runs. Pure. */
import type { ShellWord } from "../syntax/ShellWord.ts"

export interface CommandWord {
  /** The expanded text; `undefined`: known at run time only. */
  readonly text: string | undefined
  /** The shell replaces it by names of files that fit. */
  readonly isGlob: boolean
  /** Of a text known at run time only: a path that what it becomes is, or lies below, as far as can be seen. */
  readonly guess?: string
}

interface Expansion {
  /** What `~` means. */
  readonly home: string
  /** Value of a variable, where it is certain. */
  readonly valueOf: (name: string) => string | undefined
}

const unknown: CommandWord = { text: undefined, isGlob: false }

/** A word of which only the beginning is known. */
const after = (head: string, fallback = ""): CommandWord => {
  const known = head + fallback
  const guess = fallback === "" ? known.slice(0, known.lastIndexOf("/") + 1) : known
  return guess === "" ? unknown : { ...unknown, guess }
}

/** What stands in no quotes. */
const unquoted = (parts: ShellWord["parts"]): string =>
  parts.flatMap((part) => (part._tag === "Text" && !part.quoted ? [part.text] : [])).join("")

/** Braces may stand around quotes and variables: `{-"o",f}`. */
const hasBraces = (open: string): boolean => {
  const from = open.indexOf("{")
  return from >= 0 && /,|\.\./.test(open.slice(from))
}

/** `~` at the beginning of a word and of the values of what looks like an assignment: `of=~/x`. */
const tilde = (text: string, home: string): string => {
  const own = (part: string) =>
    // The home of somebody else: wherever it is, it is absolute.
    part.replace(/^~([^/]*)/, (_, user: string) => (user === "" ? home : `/~${user}`))
  const [, head, value] = /^([A-Za-z_]\w*\+?=)([\s\S]*)$/.exec(text) ?? []
  return head === undefined || value === undefined ? own(text) : head + value.split(":").map(own).join(":")
}

export const expand = ({ parts }: ShellWord, { home, valueOf }: Expansion): CommandWord => {
  let text = ""
  const open = unquoted(parts)
  // A bracket alone is itself, as in `[ -f x ]`.
  const isGlob = /[*?]/.test(open) || (open.includes("[") && open.lastIndexOf("]") > open.indexOf("["))
  if (hasBraces(open)) return unknown
  for (const [at, part] of parts.entries()) {
    if (part._tag === "Unknown") return after(text, tilde(part.fallback ?? "", home))
    if (part._tag === "Variable") {
      const value = valueOf(part.name)
      // Unquoted, a value is split at blanks and matched against names.
      if (value === undefined || (!part.quoted && /[\s*?[]/.test(value))) return after(text)
      text += value
      continue
    }
    if (part.quoted) {
      text += part.text
      continue
    }
    if (at > 0 || !part.text.includes("~")) text += part.text
    else if (/^~[+-]/.test(part.text) || (/^~[^/]*$/.test(part.text) && parts.length > 1)) return unknown
    else text += tilde(part.text, home)
  }
  return { text, isGlob }
}

/** A glob that may become the name of a file that looks like an option. */
const mayBeOption = ({ isGlob, text }: CommandWord): boolean => isGlob && /^[*?[]/.test(text ?? "")

/** Every argument is known, as far as options go: no glob may become one. */
export const areKnown = (args: ReadonlyArray<CommandWord>): boolean => {
  const end = args.findIndex(({ text }) => text === "--")
  return args.every((arg, at) => arg.text !== undefined && ((end >= 0 && at > end) || !mayBeOption(arg)))
}

/** Every option in front of `--` fits; others are not known. */
export const optionsFit = (args: ReadonlyArray<CommandWord>, pattern: RegExp): boolean => {
  const end = args.findIndex(({ text }) => text === "--")
  const front = end < 0 ? args : args.slice(0, end)
  return front.every(
    ({ text }) => text === undefined || !text.startsWith("-") || text === "-" || pattern.test(text)
  )
}

export const plain = (text: string): CommandWord => ({ text, isGlob: false })

/** The text of a word that is surely this one. */
export const fixed = ({ text, isGlob }: CommandWord): string | undefined => (isGlob ? undefined : text)

/** The part of a path in front of its first glob: the folder that all names it may become are in. */
export const beforeGlob = ({ text, isGlob, guess }: CommandWord): string | undefined => {
  if (text === undefined) return guess
  if (!isGlob) return text
  const head = text.slice(0, text.search(/[*?[]/))
  return head.includes("/") ? head.slice(0, head.lastIndexOf("/") + 1) : "."
}

export interface Options {
  /** Options as given, without their values: `-i`, `--output`. A cluster `-rf` gives `-r` and `-f`. */
  readonly flags: ReadonlySet<string>
  /** Values of the options that take one, by option. */
  readonly values: ReadonlyMap<string, ReadonlyArray<CommandWord>>
  readonly operands: ReadonlyArray<CommandWord>
}

/** Splits arguments as GNU tools do. `valued`: the options that take a value. */
export const options = (args: ReadonlyArray<CommandWord>, valued: ReadonlyArray<string> = []): Options => {
  const flags = new Set<string>()
  const values = new Map<string, Array<CommandWord>>()
  const operands: Array<CommandWord> = []
  const give = (flag: string, value: CommandWord | undefined) => {
    flags.add(flag)
    if (value !== undefined) values.set(flag, [...(values.get(flag) ?? []), value])
  }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? unknown
    const text = arg.text
    if (text === "--") {
      operands.push(...args.slice(at + 1))
      break
    }
    if (text === undefined || !text.startsWith("-") || text === "-") operands.push(arg)
    else if (text.startsWith("--")) {
      const [, given = text, value] = /^(--[^=]+)=([\s\S]*)$/.exec(text) ?? []
      // GNU tools take the beginning of a long option for the whole.
      const name = valued.includes(given) ? given : (valued.find((one) => one.startsWith(given)) ?? given)
      if (value !== undefined) give(name, { text: value, isGlob: arg.isGlob })
      else give(name, valued.includes(name) ? args[++at] : undefined)
    } else
      for (let index = 1; index < text.length; index++) {
        const flag = `-${text[index]}`
        if (!valued.includes(flag)) give(flag, undefined)
        else {
          const rest = text.slice(index + 1)
          give(flag, rest === "" ? args[++at] : plain(rest))
          break
        }
      }
  }
  return { flags, values, operands }
}

/** True when one of the options is given, also as a beginning of a long one. */
export const hasFlag = ({ flags }: Options, ...names: ReadonlyArray<string>): boolean =>
  names.some((name) =>
    name.startsWith("--")
      ? [...flags].some((flag) => flag.length > 2 && flag.startsWith("--") && name.startsWith(flag))
      : flags.has(name)
  )
