/**
 * Commands that run another one: `timeout 5 ls`, `env A=1 nohup rm x`, `xargs rm`, `bash -c '…'`. Says what is
 * run; judging that is `ScriptWalk`. Pure.
 */

import { type CommandWord, fixed, options, plain } from "./CommandWord.ts"
import { isRisky } from "./ShellVariables.ts"

export type Wrapped =
  /** `words` is run, in `folder` if given. `extra`: with further arguments that are not known. */
  | {
      readonly _tag: "Command"
      readonly words: ReadonlyArray<CommandWord>
      readonly extra: boolean
      readonly folder?: CommandWord
    }
  /** `source` is run as a script; `byBash`: by bash, or by the shell that runs this. */
  | { readonly _tag: "Script"; readonly source: string; readonly byBash: boolean }
  /** As `Command`, with the rights of somebody else. */
  | { readonly _tag: "Elevated"; readonly words: ReadonlyArray<CommandWord> }
  /** Something is run that is not known. */
  | { readonly _tag: "Unknown" }
  /** Only says something about a command. */
  | { readonly _tag: "Nothing" }

interface Prefix {
  /** Options that take a value. */
  readonly valued: ReadonlyArray<string>
  /** All its options that do nothing but change how the command runs. */
  readonly harmless: RegExp
  /** Operands of its own in front of the command. */
  readonly operands: number
}

const prefix = (harmless: RegExp, valued: ReadonlyArray<string> = [], operands = 0): Prefix => ({
  valued,
  harmless,
  operands
})

const prefixes: Readonly<Record<string, Prefix>> = {
  timeout: prefix(
    /^-[ks].*$|^-v$|^--(?:kill-after|signal)(?:=.*)?$|^--(?:foreground|preserve-status|verbose)$/,
    ["-k", "-s", "--kill-after", "--signal"],
    1
  ),
  nice: prefix(/^-n?-?\d*$|^--adjustment(?:=.*)?$/, ["-n", "--adjustment"]),
  ionice: prefix(/^-[cn]\d*$|^-t$|^--(?:class|classdata)(?:=.*)?$/, ["-c", "-n", "--class", "--classdata"]),
  nohup: prefix(/^$/),
  setsid: prefix(/^-[cfw]+$|^--(?:ctty|fork|wait)$/),
  stdbuf: prefix(/^-[ioe].*$|^--(?:input|output|error)(?:=.*)?$/, [
    "-i",
    "-o",
    "-e",
    "--input",
    "--output",
    "--error"
  ]),
  time: prefix(/^-[pv]+$/),
  builtin: prefix(/^$/),
  exec: prefix(/^-[cl]+$|^-a$/, ["-a"]),
  unbuffer: prefix(/^-p$/),
  chronic: prefix(/^-[ve]+$/)
}

const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"])
const elevating = new Set(["sudo", "doas", "pkexec", "su", "run0", "sudoedit"])

/**
 * What stands behind the options in front. `undefined`: one of them is not harmless, or not known.
 */
const afterOptions = (
  args: ReadonlyArray<CommandWord>,
  valued: ReadonlyArray<string>,
  harmless = /^/
): ReadonlyArray<CommandWord> | undefined => {
  let at = 0
  for (; at < args.length; at++) {
    const text = args[at]?.text
    if (text === undefined || !text.startsWith("-") || text === "-") break
    if (text === "--") return args.slice(at + 1)
    if (!harmless.test(text)) return undefined
    if (valued.includes(text)) at++
  }
  return args.slice(at)
}

const unknown: Wrapped = { _tag: "Unknown" }

/** A shell: the script of its `-c` is the first word behind all its options. */
const shell = (name: string, args: ReadonlyArray<CommandWord>): Wrapped => {
  let hasScript = false
  let at = 0
  for (; at < args.length; at++) {
    const text = args[at]?.text
    if (text === undefined) return unknown
    if (text === "--version" && args.length === 1) return { _tag: "Nothing" }
    if (text === "--") {
      at++
      break
    }
    if (!/^[-+]./.test(text)) break
    if (/^[-+][oO]$/.test(text)) at++
    else if (!/^[-+][abefhkmnptuvxlcBCEHPT]+$|^--(?:norc|noprofile|posix|login)$/.test(text)) return unknown
    else if (/^-[^-]*c/.test(text)) hasScript = true
  }
  const script = args[at]
  const source = script === undefined ? undefined : fixed(script)
  return hasScript && source !== undefined ? { _tag: "Script", source, byBash: name === "bash" } : unknown
}

const command = (words: ReadonlyArray<CommandWord>, extra = false): Wrapped =>
  words.length === 0 ? { _tag: "Nothing" } : { _tag: "Command", words, extra }

const env = (args: ReadonlyArray<CommandWord>): Wrapped => {
  const valued = ["-u", "--unset", "-C", "--chdir"]
  const rest = afterOptions(
    args,
    valued,
    /^-[i0v]+$|^-[uC].*$|^--(?:unset|chdir)(?:=.*)?$|^--(?:ignore-environment|null|debug)$/
  )
  if (rest === undefined) return unknown
  const given = options(args.slice(0, args.length - rest.length), valued)
  const folder = [...(given.values.get("-C") ?? []), ...(given.values.get("--chdir") ?? [])].at(-1)
  const first = rest.findIndex(({ text }) => text === undefined || !/^[A-Za-z_]\w*=/.test(text))
  const settings = first < 0 ? rest : rest.slice(0, first)
  if (settings.some(({ text }) => isRisky(text?.split("=")[0] ?? ""))) return unknown
  if (first < 0) return { _tag: "Nothing" }
  return {
    _tag: "Command",
    words: rest.slice(first),
    extra: false,
    ...(folder === undefined ? {} : { folder })
  }
}

const xargs = (args: ReadonlyArray<CommandWord>): Wrapped => {
  const valued = [
    "-I",
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
    "--max-lines",
    "--max-chars"
  ]
  const words = afterOptions(
    args,
    valued,
    /^-[0oprtx]+$|^-[InPLdsEaeil].*$|^--(?:max-args|max-procs|delimiter|arg-file|max-chars|replace)(?:=.*)?$|^--(?:null|no-run-if-empty|verbose|exit|open-tty)$/
  )
  if (words === undefined) return unknown
  const own = args.slice(0, args.length - words.length)
  const marks = own.flatMap(({ text = "" }, at) => {
    if (text === "-I") return [own[at + 1]?.text ?? "{}"]
    const [, mark] = /^(?:-[Ii]|--replace(?:=|$))(.*)$/.exec(text) ?? []
    return mark === undefined ? [] : [mark || "{}"]
  })
  const filled = words.map((word) =>
    marks.some((mark) => word.text?.includes(mark)) ? { text: undefined, isGlob: false } : word
  )
  return command(filled.length === 0 ? [plain("echo")] : filled, true)
}

/** True for a program that runs a script it is given. */
export const isShell = (name: string): boolean => shells.has(name)

/** What a command of this name runs, or `undefined` for one that runs no other. */
export const unwrap = (name: string, args: ReadonlyArray<CommandWord>): Wrapped | undefined => {
  if (elevating.has(name)) {
    const words = afterOptions(args, ["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-c"])
    return { _tag: "Elevated", words: words ?? [] }
  }
  if (shells.has(name)) return shell(name, args)
  if (name === "env") return env(args)
  if (name === "eval") {
    const texts = (args[0]?.text === "--" ? args.slice(1) : args).map(fixed)
    return texts.includes(undefined) ? unknown : { _tag: "Script", source: texts.join(" "), byBash: true }
  }
  if (name === "trap") {
    const [action, ...signals] = afterOptions(args, []) ?? []
    if (action === undefined || signals.length === 0) return { _tag: "Nothing" }
    const source = fixed(action)
    return source === undefined ? unknown : { _tag: "Script", source, byBash: true }
  }
  if (name === "command") {
    const given = args[0]?.text ?? ""
    return /^-p?[vV]$/.test(given) ? { _tag: "Nothing" } : command(afterOptions(args, []) ?? [])
  }
  if (name === "xargs") return xargs(args)
  const own = Object.hasOwn(prefixes, name) ? prefixes[name] : undefined
  if (own === undefined) return undefined
  const words = afterOptions(args, own.valued, own.harmless)
  return words === undefined ? unknown : command(words.slice(own.operands))
}
