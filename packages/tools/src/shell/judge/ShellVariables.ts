/** Variables of a shell text: which ones are dangerous to set, and which commands set them. Pure. */
import type { CommandWord } from "./CommandWord.ts"

/** Variables that make a harmless command run or load something else, or mean other files. */
export const isRisky = (name: string): boolean =>
  /^(?:.*PATH|IFS|ENV|BASH.*|SHELL.*|PS\d|PROMPT_.*|LD_.*|DYLD_.*|GIT_.*|GLIBC_.*|GCONV.*|LOCPATH|MALLOC_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|LESS.*|.*_OPTIONS|.*OPTS|.*FLAGS|.*_CONFIG.*|.*_RSH|.*_COMMAND|.*_PRELOAD|.*_HOOK.*|XDG_.*|TERMINFO.*|TMPDIR|SSH_.*|.*_(?:PROXY|proxy)|PYTHON.*|NODE_.*|BUN_.*|DENO_.*|npm_.*|PERL.*|RUBY.*|CLASSPATH|JAVA_.*|FPATH|HOME|TAR_.*|GZIP|XZ_.*|ZSTD_.*|RIPGREP.*|FUNCNEST|POSIXLY_CORRECT|GAWK.*|AWK.*|MAKE.*|.*GREP|.*(?:TOOLCHAIN|WRAPPER|_PROGRAM|_SHELL|_CMD|_HOME|_DIR|_ROOT)|RUST.*|CARGO.*|GO[A-Z]+|CC|CXX|LD|DOCKER_.*|KUBE.*|PIP_.*|UV_.*|GEM_.*|BUNDLE_.*|TE?MP|LESSOPEN|MAN.*|DIFF.*|COLORTERM|LS_.*)$/.test(
    name
  )

/** Variables the shell itself gives values: what the environment says of them is not what they are. */
export const isShellOwn = (name: string): boolean =>
  /^(?:_|OLDPWD|PWD|REPLY|OPT(?:ARG|IND|ERR)|S?RANDOM|SECONDS|LINENO|BASH.*|FUNCNAME|DIRSTACK|GROUPS|E?UID|PPID|SHLVL|HIST.*|PIPESTATUS|COMP_.*|COMPREPLY|MAPFILE|COPROC.*|EPOCH.*|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|IFS|LINES|COLUMNS|READLINE_.*|PS\d)$/.test(
    name
  )

/** What a builtin that sets variables does. */
export interface Setting {
  readonly names: ReadonlyArray<string>
  /** Names or values that are not known, or that are evaluated: what it does then is not known either. */
  readonly isUnclear: boolean
}

const valuedRead = /^-[a-zA-Z]*[dnNptui]$/

/** The words a `read`, `unset`, `export` and the like takes for names. `undefined`: it sets no variable. */
const operandsOf = (
  name: string,
  args: ReadonlyArray<CommandWord>
): ReadonlyArray<CommandWord> | undefined => {
  switch (name) {
    case "export":
    case "declare":
    case "typeset":
    case "local":
    case "readonly":
    case "unset":
      return args.filter(({ text }) => text?.startsWith("-") !== true)
    case "read":
      return args.filter(
        ({ text }, at) => text?.startsWith("-") !== true && !valuedRead.test(args[at - 1]?.text ?? "")
      )
    case "printf": {
      const names: Array<CommandWord> = []
      for (let at = 0; at < args.length; at++) {
        const word = args[at]
        // A format that is not known may be this option.
        if (word === undefined || word.text === undefined)
          return [...names, { text: undefined, isGlob: false }]
        if (!word.text.startsWith("-v")) break
        names.push(word.text === "-v" ? (args[++at] ?? word) : { ...word, text: word.text.slice(2) })
      }
      return names
    }
    case "getopts":
      return args.slice(1, 2)
    case "wait":
      return args.some(({ text }) => text?.startsWith("-p") === true) ? args : []
    default:
      return undefined
  }
}

const declared = /^([A-Za-z_]\w*)(?:\[(?:\d+|[@*])\])?(?:\+?=([\s\S]*))?$/

/** `undefined`: a command of this name sets no variable. */
export const setting = (name: string, args: ReadonlyArray<CommandWord>): Setting | undefined => {
  const operands = operandsOf(name, args)
  if (operands === undefined) return undefined
  // A reference, a number to compute, or a name that is none of these may evaluate what it is given.
  const computes =
    name !== "printf" &&
    name !== "getopts" &&
    name !== "unset" &&
    name !== "read" &&
    args.some(({ text }) => text !== undefined && /^[-+][a-zA-Z]*[in]/.test(text))
  const found = operands.map(({ isGlob, text }) => (isGlob ? null : declared.exec(text ?? "")))
  return {
    names: found.flatMap((match) => (match?.[1] === undefined ? [] : [match[1]])),
    // A value in brackets is read as a list, and what stands in it is expanded once more.
    isUnclear: computes || found.includes(null) || found.some((match) => /^\s*\(/.test(match?.[2] ?? ""))
  }
}
