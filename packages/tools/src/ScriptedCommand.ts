/** Commands that carry a small program in their arguments: `find`, `sed`, `awk`. What they do is read from it. */
import { asks, type CommandEffect, reads, writes } from "./CommandEffect.ts"
import { type CommandWord, fixed, hasFlag, options } from "./CommandWord.ts"

/** `commands` are run by it, `{}` standing for names found. */
export interface ScriptedEffect {
  readonly effect: CommandEffect
  readonly commands: ReadonlyArray<ReadonlyArray<CommandWord>>
}

const only = (effect: CommandEffect): ScriptedEffect => ({ effect, commands: [] })

const findOutputs = new Set(["-fprint", "-fprint0", "-fprintf", "-fls"])
const findRuns = new Set(["-exec", "-execdir", "-ok", "-okdir"])

export const find = (args: ReadonlyArray<CommandWord>): ScriptedEffect => {
  if (args.some(({ text }) => text === undefined))
    return only(asks("find with arguments known at run time only may run or delete something"))
  const start = args.findIndex(({ text }) => /^[-(!]/.test(text ?? "") && !/^-[HLPDO]/.test(text ?? ""))
  const folders = (start < 0 ? args : args.slice(0, start)).filter(({ text }) => !text?.startsWith("-"))
  const roots = folders.length === 0 ? [{ text: ".", isGlob: false }] : folders
  const written: Array<CommandWord> = []
  const commands: Array<ReadonlyArray<CommandWord>> = []
  for (let at = 0; at < args.length; at++) {
    const text = args[at]?.text ?? ""
    const next = args[at + 1]
    if (text === "-delete") written.push(...roots)
    else if (findOutputs.has(text) && next !== undefined) written.push(next)
    else if (findRuns.has(text)) {
      const end = args.findIndex((arg, index) => index > at && (arg.text === ";" || arg.text === "+"))
      const command = args.slice(at + 1, end < 0 ? undefined : end)
      // A name that was found lies in one of the roots.
      commands.push(
        ...roots.map((root) =>
          command.map((arg) =>
            arg.text === "{}"
              ? root
              : arg.text?.includes("{}") === true
                ? { text: undefined, isGlob: false }
                : arg
          )
        )
      )
      at = end < 0 ? args.length : end
    }
  }
  return { effect: written.length === 0 ? reads : writes(written), commands }
}

const sedAddress = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)`
const sedPlain = "[pdqDPNnGHghx=lF]"
const sedSubstitute = String.raw`s(?:/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/|\|(?:[^|\\\n]|\\.)*\|(?:[^|\\\n]|\\.)*\||#(?:[^#\\\n]|\\.)*#(?:[^#\\\n]|\\.)*#)[gpiI0-9]*`
const sedCommand = String.raw`\s*(?:${sedAddress}(?:,[+~]?${sedAddress})?\s*!?\s*)?(?:${sedPlain}|${sedSubstitute})?\s*`
/** Programs of printing, deleting and substituting only: no `w`, no `e`, no files. */
const sedHarmless = new RegExp(String.raw`^${sedCommand}(?:[;\n]${sedCommand})*$`)

export const sed = (args: ReadonlyArray<CommandWord>): ScriptedEffect => {
  const given = options(args, ["-e", "--expression", "-f", "--file", "-l", "--line-length"])
  if (args.some(({ text }) => text === undefined))
    return only(asks("sed with arguments known at run time only may write"))
  const expressions = [...(given.values.get("-e") ?? []), ...(given.values.get("--expression") ?? [])]
  const scripts = expressions.length > 0 ? expressions : given.operands.slice(0, 1)
  const files =
    expressions.length > 0 || hasFlag(given, "-f", "--file") ? given.operands : given.operands.slice(1)
  if (hasFlag(given, "-i", "--in-place"))
    return only(files.length === 0 ? asks("sed -i changes files") : writes(files))
  const harmless =
    !hasFlag(given, "-f", "--file") &&
    scripts.every((script) => sedHarmless.test(fixed(script) ?? script.text ?? "w"))
  return only(harmless ? reads : asks("this sed program may write or run something"))
}

/** Options of awk that load or write files. */
const awkRisky = [
  "-f",
  "--file",
  "-i",
  "--include",
  "-l",
  "--load",
  "-E",
  "--exec",
  "-o",
  "--pretty-print",
  "-d",
  "--dump-variables",
  "-p",
  "--profile"
]

export const awk = (args: ReadonlyArray<CommandWord>): ScriptedEffect => {
  const given = options(args, [
    "-F",
    "-v",
    "--field-separator",
    "--assign",
    "-f",
    "--file",
    "-i",
    "--include"
  ])
  const program = given.operands[0]?.text
  if (program === undefined || hasFlag(given, ...awkRisky))
    return only(asks("awk may write or run something"))
  // Texts and patterns may hold these characters and do nothing: asking is the safe side.
  return only(
    /system|getline|[|>@]|close\s*\(/.test(program)
      ? asks("this awk program may write or run something")
      : reads
  )
}
