/** The text of a shell command as the tree of unbash, or why it is none. A tree with errors counts as none. Pure. */
import * as Result from "effect/Result"
import { type Command, type ParsedScript, parse as parseBash, type Redirected, type Statement } from "unbash"
import { literal } from "./ShellWord.ts"
import { wordOf } from "./WordReading.ts"

/** What is wrong with a tree: of the texts inside it, `$( )` and its like, each tells its own. */
export const faultIn = ({ errors }: ParsedScript): string | undefined => errors?.[0]?.message

export const parse = (source: string): Result.Result<ParsedScript, string> => {
  if (source.includes("\0")) return Result.fail("it holds a zero character")
  const tree = parseBash(source)
  const fault = faultIn(tree)
  return fault === undefined ? Result.succeed(tree) : Result.fail(fault)
}

/** The command whose exit code is the one of the text. */
const lastOf = (node: Statement["command"] | Redirected | undefined): Command | undefined => {
  switch (node?.type) {
    case "AndOr":
    case "Pipeline":
      return lastOf(node.commands.at(-1))
    case "Redirected":
      return lastOf(node.command)
    case "Subshell":
    case "BraceGroup":
      return lastOf(node.body.commands.at(-1)?.command)
    case "Command":
      return node
    default:
      return undefined
  }
}

/** The name of the command whose exit code is the one of the text, where it is plain. */
export const lastName = (source: string): string | undefined => {
  const parsed = parse(source)
  if (Result.isFailure(parsed)) return undefined
  const word = lastOf(parsed.success.commands.at(-1)?.command)?.name
  return word === undefined ? undefined : literal(wordOf(word))
}
