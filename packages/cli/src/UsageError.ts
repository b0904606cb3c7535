/** A wrong command line as one clear line, near names included. Pure. */
import type * as CliError from "effect/cli/CliError"

const meant = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : `; did you mean ${suggestions.join(" or ")}?`

const describe = (error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `unknown flag ${error.option}${meant(error.suggestions)}`
    case "UnknownSubcommand":
      return `unknown command "${error.subcommand}"${meant(error.suggestions)}`
    case "MissingArgument":
      return `${error.argument.toUpperCase()} is missing`
    case "UnexpectedArgument":
      return `unexpected ${error.arguments.map((value) => JSON.stringify(value)).join(", ")}`
    default:
      return error.message.split("\n")[0] as string
  }
}

/** The first fault counts: later ones are often its consequences. */
export const render = (
  commandPath: ReadonlyArray<string>,
  errors: ReadonlyArray<CliError.NonShowHelpErrors>
): string => {
  const path = commandPath.join(" ")
  const first = errors.find(({ _tag }) => _tag === "UnknownSubcommand") ?? errors[0]
  return `${path}: ${first === undefined ? "wrong usage" : describe(first)} (see ${path} --help)`
}
