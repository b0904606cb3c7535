/** What a `git` command does: reading is known by its subcommand and options, all else is asked about. Pure. */
import { asks, type CommandEffect, reads } from "./CommandEffect.ts"
import { areKnown, type CommandWord, fixed, hasFlag, options } from "./CommandWord.ts"

/** Read whatever their operands. */
const always = new Set(
  "annotate blame cat-file check-attr check-ignore cherry count-objects describe diff diff-files diff-index diff-tree for-each-ref grep help log ls-files ls-remote ls-tree merge-base name-rev range-diff rev-list rev-parse shortlog show show-branch show-ref status var verify-commit verify-tag version whatchanged".split(
    " "
  )
)

/** Read with these first operands only; "" is none. */
const verbs: Readonly<Record<string, ReadonlyArray<string>>> = {
  bisect: ["log"],
  bundle: ["verify", "list-heads"],
  notes: ["", "list", "show"],
  reflog: ["", "show", "exists"],
  remote: ["", "show", "get-url"],
  stash: ["list", "show"],
  submodule: ["", "status", "summary"],
  worktree: ["list"]
}

/** Options that write a file or run a program. */
const risky = [
  "--output",
  "--ext-diff",
  "--textconv",
  "-O",
  "--open-files-in-pager",
  "--upload-pack",
  "--exec",
  "--filters"
]

/** Options in front of the subcommand that take a value. */
const leading = ["-C"]

const listing = [
  "-l",
  "--list",
  "-v",
  "-vv",
  "-a",
  "--all",
  "-r",
  "--remotes",
  "--contains",
  "--no-contains",
  "--merged",
  "--no-merged",
  "--points-at",
  "--show-current",
  "--sort",
  "--format",
  "-n",
  "--column",
  "--no-column",
  "--color",
  "--no-color",
  "-i",
  "--ignore-case"
]
/** Of `branch` and `tag`: options that make their operands patterns of a list. */
const makesList = ["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"]

const lists = (args: ReadonlyArray<CommandWord>): boolean => {
  const given = options(args, [
    "--contains",
    "--no-contains",
    "--merged",
    "--no-merged",
    "--points-at",
    "--sort",
    "--format"
  ])
  if (![...given.flags].every((flag) => listing.includes(flag))) return false
  return given.operands.length === 0 || hasFlag(given, ...makesList)
}

const config = (args: ReadonlyArray<CommandWord>): boolean => {
  const given = options(args, ["-f", "--file", "--blob", "--type", "--default"])
  if (
    hasFlag(
      given,
      "-e",
      "--edit",
      "--add",
      "--unset",
      "--unset-all",
      "--replace-all",
      "--rename-section",
      "--remove-section"
    )
  )
    return false
  const [verb, ...rest] = given.operands.map(fixed)
  if (verb === undefined) return hasFlag(given, "-l", "--list")
  if (verb === "get" || verb === "list") return true
  if (hasFlag(given, "--get", "--get-all", "--get-regexp", "--list")) return true
  return rest.length === 0 && !["set", "unset", "edit", "rename-section", "remove-section"].includes(verb)
}

/** Where it works: the folders of `-C`. */
interface GitEffect {
  readonly effect: CommandEffect
  readonly folders: ReadonlyArray<CommandWord>
}

export const judge = (args: ReadonlyArray<CommandWord>): GitEffect => {
  const folders: Array<CommandWord> = []
  let at = 0
  for (; at < args.length; at++) {
    const text = args[at]?.text
    if (text === undefined || !text.startsWith("-")) break
    const name = text.split("=")[0] ?? text
    const value = args[at + 1]
    if (leading.includes(text) && value !== undefined) {
      folders.push(value)
      at++
    } else if (leading.includes(name)) folders.push({ text: text.slice(name.length + 1), isGlob: false })
    else if (
      ![
        "--no-pager",
        "-P",
        "--bare",
        "--no-optional-locks",
        "--literal-pathspecs",
        "--version",
        "--help",
        "--exec-path"
      ].includes(text)
    )
      return { effect: asks(`git with the option ${name} may run something`), folders }
  }
  const word = args[at]
  const verb = word === undefined ? undefined : fixed(word)
  const rest = args.slice(at + 1)
  if (word === undefined) return { effect: reads, folders }
  const isKnown = areKnown(rest)
  const given = options(rest)
  // Only the very first word: behind an option it may be that one's value.
  const first = rest.every(({ text }) => /^(?:-v|--verbose)$/.test(text ?? "")) ? "" : (rest[0]?.text ?? "?")
  const isReading =
    verb !== undefined &&
    isKnown &&
    !hasFlag(given, ...risky) &&
    (always.has(verb) ||
      (Object.hasOwn(verbs, verb) && verbs[verb]?.includes(first) === true) ||
      ((verb === "branch" || verb === "tag") && lists(rest)) ||
      (verb === "config" && config(rest)))
  return { effect: isReading ? reads : asks(`git ${verb ?? ""} may change the repository`), folders }
}
