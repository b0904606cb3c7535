/** What a word of a command is when the shell has expanded it, as far as that is known before it runs. Pure. */
import type { Word } from "./ShellSyntax.ts"

export interface CommandWord {
  /** The expanded text; `undefined`: known at run time only. */
  readonly text: string | undefined
  /** The shell replaces it by names of files that fit. */
  readonly isGlob: boolean
}

export interface Expansion {
  /** What `~` means. */
  readonly home: string
  /** Value of a variable, where it is certain. */
  readonly valueOf: (name: string) => string | undefined
}

const unknown: CommandWord = { text: undefined, isGlob: false }
const braces = /\{[^{}]*(?:,|\.\.)[^{}]*\}/

export const expand = ({ parts }: Word, { home, valueOf }: Expansion): CommandWord => {
  let text = ""
  let isGlob = false
  for (const [at, part] of parts.entries()) {
    if (part._tag === "Unknown") return unknown
    if (part._tag === "Variable") {
      const value = valueOf(part.name)
      // Unquoted, a value is split at blanks and matched against names.
      if (value === undefined || (!part.quoted && /[\s*?[]/.test(value))) return unknown
      text += value
      continue
    }
    if (part.quoted) {
      text += part.text
      continue
    }
    if (braces.test(part.text)) return unknown
    if (/[*?[]/.test(part.text)) isGlob = true
    if (at === 0 && part.text.startsWith("~")) {
      const rest = part.text.slice(1)
      if (rest !== "" && !rest.startsWith("/")) return unknown
      if (rest === "" && parts.length > 1) return unknown
      text += home + rest
    } else text += part.text
  }
  return { text, isGlob }
}

export const plain = (text: string): CommandWord => ({ text, isGlob: false })

/** The text of a word that is surely this one. */
export const fixed = ({ text, isGlob }: CommandWord): string | undefined => (isGlob ? undefined : text)

/** The part of a path in front of its first glob: the folder that all names it may become are in. */
export const beforeGlob = ({ text, isGlob }: CommandWord): string | undefined => {
  if (text === undefined || !isGlob) return text
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
      const [, name = text, value] = /^(--[^=]+)=([\s\S]*)$/.exec(text) ?? []
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
