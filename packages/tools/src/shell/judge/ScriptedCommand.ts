/** Commands that carry a small program in their arguments: `find`, `sed`, `awk`. What they do is read from it. */
import { asks, type CommandEffect, reads, writes } from "./CommandEffect.ts"
import { areKnown, type CommandWord, fixed, hasFlag, options, optionsFit } from "./CommandWord.ts"

/** `commands` are run by it, `{}` standing for names found. */
export interface ScriptedEffect {
  readonly effect: CommandEffect
  readonly commands: ReadonlyArray<ReadonlyArray<CommandWord>>
}

const only = (effect: CommandEffect): ScriptedEffect => ({ effect, commands: [] })

const findOutputs = new Set(["-fprint", "-fprint0", "-fprintf", "-fls"])
const findRuns = new Set(["-exec", "-execdir", "-ok", "-okdir"])

export const find = (args: ReadonlyArray<CommandWord>): ScriptedEffect => {
  if (!areKnown(args))
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
      const end = args.findIndex(
        (arg, index) =>
          index > at && (arg.text === ";" || (arg.text === "+" && args[index - 1]?.text === "{}"))
      )
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
const sedCommand = new RegExp(
  String.raw`(?:${sedAddress}(?:,[+~]?${sedAddress})?[ \t]*!?[ \t]*)?(?:${sedPlain}|${sedSubstitute})`,
  "y"
)
const sedOpen = new RegExp(String.raw`(?:${sedAddress}(?:,[+~]?${sedAddress})?)?[ \t]*!?[ \t]*\{`, "y")
const sedGap = /[ \t;\n]*/y
const sedEnd = /[ \t]*(?:[;\n]|$|(?=\}))/y

/** Programs of printing, deleting and substituting only: no `w`, no `e`, no files. */
const isHarmlessSed = (program: string): boolean => {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const isThere = pattern.test(program)
    if (isThere) at = pattern.lastIndex
    return isThere
  }
  for (take(sedGap); at < program.length; take(sedGap)) {
    if (take(sedOpen)) continue
    const isClosed = program[at] === "}" && ++at > 0
    if (!((isClosed || take(sedCommand)) && take(sedEnd))) return false
  }
  return true
}

export const sed = (args: ReadonlyArray<CommandWord>): ScriptedEffect => {
  const given = options(args, ["-e", "--expression", "-f", "--file", "-l", "--line-length"])
  if (!areKnown(args)) return only(asks("sed with arguments known at run time only may write"))
  const expressions = [...(given.values.get("-e") ?? []), ...(given.values.get("--expression") ?? [])]
  const scripts = expressions.length > 0 ? expressions : given.operands.slice(0, 1)
  const files =
    expressions.length > 0 || hasFlag(given, "-f", "--file") ? given.operands : given.operands.slice(1)
  if (hasFlag(given, "-i", "--in-place"))
    return only(files.length === 0 ? asks("sed -i changes files") : writes(files))
  const harmless =
    optionsFit(
      args,
      /^-[nrEsuz]*(?:e.*|l\d+)?$|^--(?:quiet|silent|regexp-extended|null-data|separate|posix|unbuffered|debug|sandbox|version|help)$|^--(?:expression|line-length)(?:=[\s\S]*)?$/s
    ) && scripts.every((script) => isHarmlessSed(fixed(script) ?? "w"))
  return only(harmless ? reads : asks("this sed program may write or run something"))
}

export const awk = (args: ReadonlyArray<CommandWord>): ScriptedEffect => {
  const { operands } = options(args, ["-F", "-v", "--field-separator", "--assign"])
  const program = operands[0] === undefined ? undefined : fixed(operands[0])
  // Options end where the program stands.
  const front = args.slice(0, operands[0] === undefined ? undefined : args.indexOf(operands[0]))
  const isFitting =
    areKnown(front) &&
    optionsFit(front, /^-[Fv].*$|^--(?:field-separator|assign)(?:=.*)?$|^--(?:version|help|posix)$|^--$/s)
  if (program === undefined || !isFitting) return only(asks("awk may write or run something"))
  // Texts and patterns may hold these characters and do nothing: asking is the safe side.
  return only(
    /system|getline|[|>@]|close\s*\(/.test(program)
      ? asks("this awk program may write or run something")
      : reads
  )
}
