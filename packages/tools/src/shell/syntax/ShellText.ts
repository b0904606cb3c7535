/** The text of a shell command as the tree of unbash, or why it is none. A tree with errors counts as none. Pure. */
import * as Result from "effect/Result"
import { type Command, type ParsedScript, parse as parseBash, type Redirected, type Statement } from "unbash"
import { literal } from "./ShellWord.ts"
import { wordOf } from "./WordReading.ts"

/** What is wrong with a tree: of the texts inside it, `$( )` and its like, each tells its own. */
export const faultIn = ({ errors }: ParsedScript): string | undefined => errors?.[0]?.message

/**
 * Reads something of a tree. The parser is recursive and reads the inside of words when it is asked for: a text may
 * be so deep that the stack ends, here or later.
 */
export const unlessTooDeep = <A>(read: () => A, otherwise: () => A): A => {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof RangeError) return otherwise()
    throw cause
  }
}

const tooDeep = (): Result.Result<ParsedScript, string> => Result.fail("it is nested too deeply")

export const parse = (source: string): Result.Result<ParsedScript, string> => {
  if (source.includes("\0")) return Result.fail("it holds a zero character")
  return unlessTooDeep(() => {
    const tree = parseBash(source)
    const fault = faultIn(tree)
    return fault === undefined ? Result.succeed(tree) : Result.fail(fault)
  }, tooDeep)
}

/** What other shells than bash read as something else. `$((1 + x))` all of them compute. */
const ownOfBash =
  /\[\[|\(\(|\$['"[{]|&>|[<>]\(|\|&|<<<|;&|>&[^\d-]|[=?*+@!^]\(|\+=|[{}~=]|\b(?:coproc|function|select|time)\b/
const sharedWithAll = /\$\(\([\w\s+*/%-]*\)\)|\$\{\w+\}|~\/|\b[A-Za-z_]\w*=(?=[\w./-])|[!=]?= |--[\w-]+=/g

/** True: a text that every shell reads as bash does, as far as is plain to see. */
export const isPortable = (source: string): boolean => !ownOfBash.test(source.replace(sharedWithAll, " "))

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
  if (word === undefined) return undefined
  return unlessTooDeep(
    () => literal(wordOf(word)),
    () => undefined
  )
}
