/**
 * Commands known to change nothing, and with which arguments they do not. What is not here is not known. `git`,
 * `find`, `sed` and `awk` have rules of their own; commands known to write are `WritingCommands`.
 */
import { asks, type CommandRule, reads } from "./CommandEffect.ts"
import { fixed, hasFlag, options } from "./CommandWord.ts"

/** Harmless whatever their arguments. */
const always = `
  : [ basename cat cd cksum cmp column comm cut df diff dir dirname du echo egrep expand expr false fgrep fmt
  fold free getconf getent grep groups head hexdump id jq join locale ls lsblk md5sum nl nproc numfmt od paste
  pgrep pidof printenv printf ps pwd readlink realpath rev sha1sum sha224sum sha256sum sha384sum sha512sum sleep
  stat strings sum tac tail test tr true tsort tty type uname unexpand uptime users vdir wait wc which who whoami
  whereis yes exit return break continue shift export unset local declare typeset readonly read set shopt getopts
  let popd pushd dirs jobs hash help ulimit umask bc dc zcat zgrep bzcat xzcat lscpu arch logname
  tput clear seq factor b2sum base32 base64 look ncal cal pstree vmstat iostat lsof
`
  .trim()
  .split(/\s+/)

/** Reads unless one of these options is given. */
const unless: Readonly<Record<string, ReadonlyArray<string>>> = {
  sort: ["-o", "--output", "--compress-program"],
  tree: ["-o"],
  rg: ["--pre", "--hostname-bin"],
  fd: ["-x", "-X", "--exec", "--exec-batch"],
  file: ["-C", "--compile"],
  less: ["-o", "-O", "--log-file", "--LOG-FILE"],
  more: [],
  ss: ["-K", "--kill"],
  yq: ["-i", "--inplace"],
  shuf: ["-o", "--output"]
}

/** Reads with at most so many operands: the next one is written. */
const operandsAtMost: Readonly<Record<string, number>> = { uniq: 1, xxd: 1, hostname: 0 }

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
    if (flags.length > 0 && args.some(({ text }) => text === undefined))
      return asks(`${name} with arguments known at run time only may write`)
    return hasFlag(options(args), ...flags)
      ? asks(`${name} may write or run something with these options`)
      : reads
  })
}
for (const [name, most] of Object.entries(operandsAtMost))
  byName.set(name, (args) => {
    const { operands } = options(args, name === "uniq" ? ["-f", "-s", "-w"] : ["-c", "-l", "-s", "-g", "-o"])
    const known = args.every((arg) => fixed(arg) !== undefined)
    return known && operands.length <= most ? reads : asks(`${name} may write with these arguments`)
  })
byName.set("date", (args) => {
  const given = options(args, ["-d", "-f", "-r", "--date", "--file", "--reference"])
  const known = given.operands.every((operand) => fixed(operand)?.startsWith("+") === true)
  return known && !hasFlag(given, "-s", "--set") ? reads : asks("date may set the clock")
})
byName.set("tar", (args) => {
  const first = args[0]?.text ?? ""
  const lists = /^-?[vzjJaf]*t[vzjJaf]*$/.test(first) || args.some(({ text }) => text === "--list")
  const known = args.every((arg) => fixed(arg) !== undefined)
  const harmless = known && !args.some(({ text }) => /^-[xcruAI]|^--(?!list|file|verbose)/.test(text ?? ""))
  return lists && harmless ? reads : asks("tar may write files")
})
byName.set("ip", (args) => {
  const words = args.map(fixed).filter((word) => word === undefined || !word.startsWith("-"))
  const verb = words[1]
  return words.length === 1 || (verb !== undefined && ["show", "list", "get", "s", "l"].includes(verb))
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
