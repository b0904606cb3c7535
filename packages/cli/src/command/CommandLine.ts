/**
 * The arguments as they were typed: Cow's own apart from those behind `--`, and what no parser of flags can tell
 * well. Pure. Which commands and flags there are is `CommandTree`.
 */

import * as Absent from "./Absent.ts"

export interface CommandLine {
  /** For the parser. */
  readonly args: ReadonlyArray<string>
  /** One line for people, absent where the parser may go on. */
  readonly fault?: string
  readonly quiet: boolean
  readonly verbose: boolean
}

/** A number below zero is a value. */
const negative = /^-(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

const maxShownChars = 60

const shown = (text: string): string =>
  JSON.stringify(text.length > maxShownChars ? `${text.slice(0, maxShownChars - 1)}…` : text)

/** A text is no flag: its letters, read as flags one by one, may even ask for help. */
const faultIn = (arg: string): string | undefined => {
  if (!arg.startsWith("-") || negative.test(arg)) return undefined
  const name = arg.split("=", 1)[0] as string
  if (/\s/.test(name)) return `${shown(arg)} begins with - and is no flag; write -- before it`
  if (!name.startsWith("--") && name.length > 2)
    return `unknown flag ${name}; a flag of more than one letter begins with --`
  return undefined
}

/** `cow help mcp` is `cow mcp --help`, `cow version` is `cow --version`. */
const asFlags = ([first, ...rest]: ReadonlyArray<string>): ReadonlyArray<string> =>
  first === undefined
    ? []
    : first === "help"
      ? [...rest, "--help"]
      : first === "version"
        ? ["--version", ...rest]
        : [first, ...rest]

export const read = (typed: ReadonlyArray<string>): CommandLine => {
  const args = asFlags(typed)
  const mark = args.indexOf("--")
  const own = mark < 0 ? args : args.slice(0, mark)
  const absent = Absent.commandIn(own)
  const fault =
    absent === undefined
      ? own.map(faultIn).find((found) => found !== undefined)
      : `cow ${absent} is not in this version`
  return {
    args,
    ...(fault === undefined ? {} : { fault: `cow: ${fault} (see cow --help)` }),
    quiet: own.includes("--quiet"),
    verbose: own.includes("--verbose")
  }
}
