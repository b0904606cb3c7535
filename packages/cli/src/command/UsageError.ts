/** A wrong command line as one clear line, near names included. Pure. */
import type * as CliError from "effect/cli/CliError"

const meant = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : `; did you mean ${suggestions.join(" or ")}?`

/** The parser's `Expected: "a" | "b"` as `a or b`. */
const wanted = (expected: string): string => {
  const text = expected.replace(/^Expected:? /, "")
  const choices = [...text.matchAll(/"([^"]*)"/g)].map(([, choice]) => choice as string)
  if (choices.length < 2 || text !== choices.map((choice) => `"${choice}"`).join(" | ")) return text
  return `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`
}

const ofValue = (
  { expected, kind, option, value }: CliError.InvalidValue,
  args: ReadonlyArray<string>
): string => {
  const flag = kind === "flag" ? `--${option}` : option.toUpperCase()
  const times = expected.endsWith("at most 1 value") ? /^(\d+) occurrences$/.exec(value)?.[1] : undefined
  if (times !== undefined) return `${flag} is given ${times} times`
  if (value !== "") return `${flag} wants ${wanted(expected)}, not ${JSON.stringify(value)}`
  const next = args[args.indexOf(flag) + 1]
  const dashed = kind === "flag" && args.includes(flag) && next?.startsWith("-") && next !== "--"
  return `${flag} wants ${wanted(expected)}${dashed ? `; a value that begins with - is written ${flag}=${next}` : ""}`
}

/** Whether the flag was typed before the command it is meant for. */
const standsBefore = (command: string | undefined, flag: string, args: ReadonlyArray<string>): boolean => {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`))
  return command !== undefined && at >= 0 && at < args.indexOf(command)
}

const describe = (error: CliError.NonShowHelpErrors, args: ReadonlyArray<string>): string => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const [, command] = error.command ?? []
      return standsBefore(command, error.option, args)
        ? `${error.option} stands before ${command}; a flag of a command stands behind it`
        : `unknown flag ${error.option}${meant(error.suggestions)}`
    }
    case "UnknownSubcommand":
      return `unknown command "${error.subcommand}"${meant(error.suggestions)}`
    case "MissingArgument":
      return `${error.argument.toUpperCase()} is missing`
    case "UnexpectedArgument":
      return `unexpected ${error.arguments.map((value) => JSON.stringify(value)).join(", ")}`
    case "InvalidValue":
      return ofValue(error, args)
    default:
      return error.message.split("\n")[0] as string
  }
}

/** The first fault counts: later ones are often its consequences. `args`: as they were typed. */
export const render = (
  commandPath: ReadonlyArray<string>,
  errors: ReadonlyArray<CliError.NonShowHelpErrors>,
  args: ReadonlyArray<string>
): string => {
  const path = commandPath.join(" ")
  const first = errors.find(({ _tag }) => _tag === "UnknownSubcommand") ?? errors[0]
  return `${path}: ${first === undefined ? "wrong usage" : describe(first, args)} (see ${path} --help)`
}
