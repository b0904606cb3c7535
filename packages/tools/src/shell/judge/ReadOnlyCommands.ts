/**
 * Commands known to change nothing, and with which arguments they do not. What is not here is not known. `git`,
 * `find`, `sed` and `awk` have rules of their own; commands known to write are `WritingCommands`.
 */
import { asks, type CommandRule, reads } from "./CommandEffect.ts"
import { areKnown, type CommandWord, fixed, hasFlag, options, optionsFit } from "./CommandWord.ts"

/** Harmless whatever their arguments. */
const always = `
  : [ basename cat cd cksum cmp column comm cut df diff dir dirname du echo egrep expand expr false fgrep fmt
  fold free getconf getent grep groups head hexdump id jq join locale ls lsblk md5sum nl nproc numfmt od paste
  pgrep pidof printenv printf ps pwd readlink realpath rev sha1sum sha224sum sha256sum sha384sum sha512sum sleep
  stat strings sum tac tail test tr true tsort tty type uname unexpand uptime users vdir wait wc which who whoami
  whereis yes exit return break continue shift export unset local declare typeset readonly read getopts
  popd pushd dirs help ulimit umask bc zcat zgrep bzcat xzcat lscpu arch logname
  tput clear seq factor b2sum look ncal cal pstree vmstat iostat
`
  .trim()
  .split(/\s+/)

/** Reads unless one of these options is given. */
const unless: Readonly<Record<string, ReadonlyArray<string>>> = {
  sort: ["-o", "--output", "--compress-program"],
  tree: ["-o", "-R"],
  base64: ["-o", "--output"],
  base32: ["-o", "--output"],
  lsof: ["-D"],
  jobs: ["-x"],
  hash: ["-p"],
  rg: ["--pre", "--hostname-bin"],
  fd: ["-x", "-X", "--exec", "--exec-batch"],
  file: ["-C", "--compile"],
  ss: ["-K", "--kill", "-D", "--diag"],
  yq: ["-i", "--inplace", "--in-place", "-s", "--split-exp"],
  shuf: ["-o", "--output"],
  iconv: ["-o", "--output"]
}

/** Programs that tell their version and do nothing else then. */
const versioned = new Set(
  "bun cargo clang cmake deno docker gcc git go java javac make node npm npx perl php pip pip3 pnpm python python3 ruby rustc tsc uv yarn".split(
    " "
  )
)

const byName = new Map<string, CommandRule>(always.map((name) => [name, () => reads] as const))
for (const [name, flags] of Object.entries(unless)) {
  byName.set(name, (args) => {
    // An argument that is not known may be such an option.
    if (!areKnown(args)) return asks(`${name} with arguments known at run time only may write`)
    return hasFlag(options(args), ...flags)
      ? asks(`${name} may write or run something with these options`)
      : reads
  })
}
/** Reads where all its options fit and there are at most so many operands: the next one would be written. */
const bounded = (name: string, fitting: RegExp, most: number, valued: ReadonlyArray<string> = []) =>
  byName.set(name, (args) => {
    // What begins with `+` is a command of `less`.
    const isFitting = args.every((arg) => fixed(arg)?.startsWith("+") === false) && optionsFit(args, fitting)
    return isFitting && options(args, valued).operands.length <= most
      ? reads
      : asks(`${name} may write or run something with these arguments`)
  })
bounded("uniq", /^-(?:[cdDiuz]+|[fsw]\d*)$/, 1, ["-f", "-s", "-w"])
const xxdValued = /^-[clsgo]$/
bounded("xxd", /^-(?:[abeEipruC]+|ps|[clsgo]-?(?:\d+|0x[\da-f]+)?)$/, 1)
const xxd = byName.get("xxd")
byName.set("xxd", (args) => {
  const values = args.filter(
    ({ text }, at) => /^-?\d+$/.test(text ?? "") && xxdValued.test(args[at - 1]?.text ?? "")
  )
  return xxd?.(args.filter((arg) => !values.includes(arg))) ?? asks("xxd may write")
})
bounded(
  "hostname",
  /^-[aAdfiIsy]$|^--(?:alias|domain|fqdn|long|ip-address|all-ip-addresses|short|version)$/,
  0
)
bounded("less", /^-[eEfFgGiInNqQrRsSwWX]+$/, Number.POSITIVE_INFINITY)
bounded("more", /^-[dflpcsue]+$|^-\d+$/, Number.POSITIVE_INFINITY)
bounded("set", /^-[efuxvnhmbBCHET]+$/, Number.POSITIVE_INFINITY)
const strict = /^(?:errexit|nounset|pipefail|noglob|xtrace|noclobber)$/
const set = byName.get("set")
byName.set("set", (args) => {
  const own = args.filter(
    ({ text }, at) => !(strict.test(text ?? "") && /^-[eux]*o$/.test(args[at - 1]?.text ?? ""))
  )
  const names = args.length - own.length
  const plain = own.map((arg) =>
    names > 0 && /^-[eux]*o$/.test(arg.text ?? "") ? { ...arg, text: "-e" } : arg
  )
  return set?.(plain) ?? asks("set changes the shell")
})
bounded("shopt", /^-[pq]$/, Number.POSITIVE_INFINITY)
const globOptions = /^(?:nullglob|globstar|dotglob|failglob|nocaseglob|inherit_errexit)$/
const shopt = byName.get("shopt")
byName.set("shopt", (args) =>
  args.length > 1 &&
  /^-[su]$/.test(args[0]?.text ?? "") &&
  args.slice(1).every(({ text }) => globOptions.test(text ?? ""))
    ? reads
    : (shopt?.(args) ?? asks("shopt changes the shell"))
)
byName.set("let", () => asks("let evaluates its arguments"))
// `-v` takes a name for a variable, index and all, which it evaluates; a word that is not known may be one.
const mayName = (args: ReadonlyArray<CommandWord>): boolean =>
  args.some(
    ({ text }, at) =>
      text === "-v" ||
      text === "-R" ||
      (text === undefined &&
        ((args[at + 1] !== undefined && args[at + 1]?.text === undefined) ||
          /\[.*[$`]/s.test(args[at + 1]?.text ?? "")))
  )
for (const name of ["test", "["])
  byName.set(name, (args) => (mayName(args) ? asks(`${name} evaluates what it is given`) : reads))
byName.set("date", (args) => {
  const given = options(args, ["-d", "-f", "-r", "--date", "--file", "--reference"])
  const known = given.operands.every((operand) => fixed(operand)?.startsWith("+") === true)
  return known && !hasFlag(given, "-s", "--set") ? reads : asks("date may set the clock")
})
byName.set("tar", (args) => {
  const [first, ...rest] = args.map(fixed)
  const lists = /^-?[vzjJaf]*t[vzjJaf]*$/.test(first ?? "") || first === "--list"
  // A colon makes the archive one of another machine, reached by another program.
  const isHarmless = rest.every(
    (text) =>
      text !== undefined &&
      !text.includes(":") &&
      (!text.startsWith("-") || /^-[tvzjJaf]+$|^--(?:list|verbose|exclude=.*|file=.*)$/.test(text))
  )
  return lists && isHarmless ? reads : asks("tar may write files")
})
byName.set("ip", (args) => {
  const words = args.map(fixed)
  const isFitting = words.every(
    (word) =>
      word !== undefined &&
      (!word.startsWith("-") ||
        /^-(?:[046sdojhrp]|br|brief|json|pretty|details|oneline|color|c|stats)$/.test(word))
  )
  const verb = words.filter((word) => word?.startsWith("-") !== true)[1]
  return isFitting && (verb === undefined || ["show", "list", "get"].includes(verb))
    ? reads
    : asks("ip may change the network")
})

/** The rule of a command that is known to read, or `undefined`. */
export const find = (
  name: string,
  args: ReadonlyArray<{ readonly text: string | undefined }>
): CommandRule | undefined => {
  const only = args.length === 1 ? args[0]?.text : undefined
  if (versioned.has(name) && (only === "--version" || only === "-V" || (name === "go" && only === "version")))
    return () => reads
  return byName.get(name)
}
