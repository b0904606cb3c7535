/**
 * Commands that run another one: `timeout 5 ls`, `env A=1 nohup rm x`, `xargs rm`, `bash -c '…'`. Says what is
 * run; judging that is `CommandJudge`. Pure.
 */
import { type CommandWord, fixed, options, plain } from "./CommandWord.ts"

export type Wrapped =
  /** `words` is run. `extra`: with further arguments that are not known. */
  | { readonly _tag: "Command"; readonly words: ReadonlyArray<CommandWord>; readonly extra: boolean }
  /** `source` is run as a script. */
  | { readonly _tag: "Script"; readonly source: string }
  /** As `Command`, with the rights of somebody else. */
  | { readonly _tag: "Elevated"; readonly words: ReadonlyArray<CommandWord> }
  /** Something is run that is not known. */
  | { readonly _tag: "Unknown" }
  /** Only says something about a command. */
  | { readonly _tag: "Nothing" }

interface Prefix {
  /** Options that take a value. */
  readonly valued: ReadonlyArray<string>
  /** Operands of its own in front of the command. */
  readonly operands: number
}

const prefixes: Readonly<Record<string, Prefix>> = {
  timeout: { valued: ["-k", "-s", "--kill-after", "--signal"], operands: 1 },
  nice: { valued: ["-n", "--adjustment"], operands: 0 },
  ionice: { valued: ["-c", "-n", "--class", "--classdata"], operands: 0 },
  nohup: { valued: [], operands: 0 },
  setsid: { valued: [], operands: 0 },
  stdbuf: { valued: ["-i", "-o", "-e", "--input", "--output", "--error"], operands: 0 },
  time: { valued: [], operands: 0 },
  builtin: { valued: [], operands: 0 },
  exec: { valued: ["-a"], operands: 0 },
  unbuffer: { valued: [], operands: 0 },
  chronic: { valued: [], operands: 0 }
}

const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"])
const elevating = new Set(["sudo", "doas", "pkexec", "su", "run0", "sudoedit"])

/** Leaves the options in front, and the values of those that take one, away. */
const afterOptions = (
  args: ReadonlyArray<CommandWord>,
  valued: ReadonlyArray<string>
): ReadonlyArray<CommandWord> => {
  let at = 0
  for (; at < args.length; at++) {
    const text = args[at]?.text
    if (text === undefined || !text.startsWith("-") || text === "-") break
    if (text === "--") return args.slice(at + 1)
    if (valued.includes(text)) at++
  }
  return args.slice(at)
}

const command = (words: ReadonlyArray<CommandWord>, extra = false): Wrapped =>
  words.length === 0 ? { _tag: "Nothing" } : { _tag: "Command", words, extra }

const env = (args: ReadonlyArray<CommandWord>): Wrapped => {
  if (args.some(({ text }) => text !== undefined && /^(?:-S|--split-string)/.test(text)))
    return { _tag: "Unknown" }
  const rest = afterOptions(args, ["-u", "--unset", "-C", "--chdir"])
  const first = rest.findIndex(({ text }) => text === undefined || !/^[A-Za-z_]\w*=/.test(text))
  const settings = first < 0 ? rest : rest.slice(0, first)
  if (settings.some(({ text }) => isRiskyVariable(text?.split("=")[0] ?? ""))) return { _tag: "Unknown" }
  return first < 0 ? { _tag: "Nothing" } : command(rest.slice(first))
}

/** Variables that make a harmless command run or load something else. */
export const isRiskyVariable = (name: string): boolean =>
  /^(?:PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|LD_.*|DYLD_.*|GIT_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|RIPGREP_CONFIG_PATH|PYTHON.*|NODE_.*|PERL5.*|RUBY.*|BASH_FUNC_.*|FPATH|CDPATH|HOME)$/.test(
    name
  )

/** What a command of this name runs, or `undefined` for one that runs no other. */
export const unwrap = (name: string, args: ReadonlyArray<CommandWord>): Wrapped | undefined => {
  if (elevating.has(name)) {
    const words = afterOptions(args, ["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-c"])
    return { _tag: "Elevated", words }
  }
  if (shells.has(name)) {
    const given = options(args, ["-c", "-o", "-O", "--rcfile", "--init-file"])
    const script = given.values.get("-c")?.[0]
    if (script === undefined)
      return given.operands.length === 0 && given.flags.has("--version")
        ? { _tag: "Nothing" }
        : { _tag: "Unknown" }
    const source = fixed(script) ?? script.text
    return source === undefined ? { _tag: "Unknown" } : { _tag: "Script", source }
  }
  if (name === "env") return env(args)
  if (name === "eval") {
    const texts = args.map(({ text }) => text)
    return texts.includes(undefined) ? { _tag: "Unknown" } : { _tag: "Script", source: texts.join(" ") }
  }
  if (name === "trap") {
    const [action, ...signals] = afterOptions(args, [])
    if (action === undefined || signals.length === 0) return { _tag: "Nothing" }
    return action.text === undefined ? { _tag: "Unknown" } : { _tag: "Script", source: action.text }
  }
  if (name === "command") {
    const given = args[0]?.text ?? ""
    return /^-[vV]$/.test(given) ? { _tag: "Nothing" } : command(afterOptions(args, []))
  }
  if (name === "xargs") {
    const valued = [
      "-I",
      "-i",
      "-n",
      "-P",
      "-L",
      "-d",
      "-s",
      "-E",
      "-a",
      "--max-args",
      "--max-procs",
      "--delimiter",
      "--arg-file",
      "--replace"
    ]
    const words = afterOptions(args, valued)
    return command(words.length === 0 ? [plain("echo")] : words, true)
  }
  const prefix = Object.hasOwn(prefixes, name) ? prefixes[name] : undefined
  if (prefix === undefined) return undefined
  return command(afterOptions(args, prefix.valued).slice(prefix.operands))
}
