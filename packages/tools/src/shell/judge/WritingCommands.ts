/**
 * Commands known to change files, and which of their arguments they change: only those must lie in the workspace,
 * so that `cp /etc/x .` is asked about and `cp x /etc/y` is refused.
 */
import { asks, type CommandEffect, type CommandRule, never, reads, writes } from "./CommandEffect.ts"
import { beforeGlob, type CommandWord, hasFlag, type Options, options } from "./CommandWord.ts"

const blockDevice = /^\/dev\/(?:(?:[hsvx]v?d[a-z]|nvme|mmcblk|loop|md|dm-|sr|nbd|disk\/|mapper\/).*)$/

/** True for a path that names a whole disk or a part of one. */
export const isBlockDevice = (path: string): boolean => blockDevice.test(path)

/** The root of everything, in any spelling: `/`, `//`, `/.`, `/*`. */
const isRoot = ({ text }: CommandWord): boolean => text !== undefined && /^\/[/.]*\**$/.test(text)

const all = ({ operands }: Options): ReadonlyArray<CommandWord> => operands

/** The target folder or file of `cp` and its like: `-t DIR` or the last operand. */
const destination = ({ flags, operands, values }: Options): ReadonlyArray<CommandWord> =>
  // `install -d` makes all of them.
  flags.has("-d") || flags.has("--directory")
    ? operands
    : (values.get("-t") ?? values.get("--target-directory") ?? operands.slice(-1))

interface Writer {
  /** Options that take a value. */
  readonly valued?: ReadonlyArray<string>
  readonly paths: (given: Options) => ReadonlyArray<CommandWord>
}

const copying = [
  "-t",
  "--target-directory",
  "-S",
  "--suffix",
  "-m",
  "-o",
  "-g",
  "--mode",
  "--owner",
  "--group"
]

const writers: Readonly<Record<string, Writer>> = {
  cp: { valued: copying, paths: destination },
  rsync: { valued: ["-e", "-f", "--exclude", "--include", "--rsh"], paths: destination },
  scp: { valued: ["-i", "-P", "-o", "-F", "-c", "-l", "-S", "-J"], paths: destination },
  install: { valued: copying, paths: destination },
  ln: { valued: copying, paths: destination },
  mv: { valued: copying, paths: (given) => [...destination(given), ...given.operands] },
  rm: { paths: all },
  rmdir: { paths: all },
  unlink: { paths: all },
  shred: { valued: ["-n", "-s"], paths: all },
  mkdir: { valued: ["-m", "--mode"], paths: all },
  mkfifo: { valued: ["-m", "--mode"], paths: all },
  touch: { valued: ["-d", "-r", "-t", "--date", "--reference"], paths: all },
  truncate: { valued: ["-s", "-r", "--size", "--reference"], paths: all },
  tee: { paths: all },
  chmod: { valued: ["--reference"], paths: all },
  chown: { valued: ["--reference"], paths: all },
  chgrp: { valued: ["--reference"], paths: all },
  setfacl: { valued: ["-m", "-x", "-M", "-X"], paths: all },
  chattr: { paths: all },
  mknod: { valued: ["-m", "--mode"], paths: ({ operands }) => operands.slice(0, 1) },
  split: { valued: ["-a", "-b", "-C", "-l", "-n", "-t"], paths: ({ operands }) => operands.slice(1) },
  sponge: { paths: all },
  bzip2: { paths: all },
  bunzip2: { paths: all },
  xz: { valued: ["-S", "-T"], paths: all },
  unxz: { valued: ["-S", "-T"], paths: all },
  zstd: { valued: ["-o"], paths: ({ operands, values }) => values.get("-o") ?? operands },
  unzip: { valued: ["-d", "-x", "-P"], paths: ({ values }) => values.get("-d") ?? [] },
  curl: {
    valued: [
      "-o",
      "--output",
      "--output-dir",
      "-D",
      "--dump-header",
      "-c",
      "--cookie-jar",
      "-H",
      "--header",
      "-d",
      "--data",
      "-X",
      "--request",
      "-u",
      "-A",
      "-e",
      "-b",
      "-F",
      "-T",
      "-m",
      "-x"
    ],
    paths: ({ values }) =>
      ["-o", "--output", "--output-dir", "-D", "--dump-header", "-c", "--cookie-jar"]
        .flatMap((option) => values.get(option) ?? [])
        .filter(({ text }) => text !== "-")
  },
  wget: {
    valued: [
      "-O",
      "--output-document",
      "-P",
      "--directory-prefix",
      "-o",
      "--output-file",
      "-a",
      "--append-output"
    ],
    paths: ({ values }) => [...values.values()].flat().filter(({ text }) => text !== "-")
  },
  tar: {
    valued: ["-C", "--directory", "-f", "--file", "-T", "-X"],
    paths: ({ flags, operands, values }) => [
      ...(values.get("-C") ?? []),
      ...(values.get("--directory") ?? []),
      // What makes or changes an archive writes it.
      ...(["-c", "-r", "-u", "--create", "--append", "--update"].some((flag) => flags.has(flag))
        ? [...(values.get("-f") ?? []), ...(values.get("--file") ?? [])]
        : /^[cru]\w*f/.test(operands[0]?.text ?? "")
          ? operands.slice(1, 2)
          : [])
    ]
  },
  gzip: { valued: ["-S"], paths: all },
  gunzip: { valued: ["-S"], paths: all },
  patch: {
    valued: ["-i", "-d", "-o", "-p", "--directory", "--output", "--input"],
    paths: ({ operands, values }) => [
      ...operands,
      ...["-d", "-o", "--directory", "--output"].flatMap((option) => values.get(option) ?? [])
    ]
  },
  sort: {
    valued: ["-o", "--output", "-k", "-t", "-S", "-T"],
    paths: ({ values }) => [...(values.get("-o") ?? []), ...(values.get("--output") ?? [])]
  },
  shuf: {
    valued: ["-o", "--output", "-n", "-i"],
    paths: ({ values }) => [...(values.get("-o") ?? []), ...(values.get("--output") ?? [])]
  },
  tree: { valued: ["-o", "-L", "-P", "-I"], paths: ({ values }) => values.get("-o") ?? [] },
  uniq: { valued: ["-f", "-s", "-w"], paths: ({ operands }) => operands.slice(1) },
  xxd: { valued: ["-c", "-l", "-s", "-g", "-o"], paths: ({ operands }) => operands.slice(1) }
}

const rm = (args: ReadonlyArray<CommandWord>, home: string): CommandEffect | undefined => {
  const given = options(args)
  if (!hasFlag(given, "-r", "-R", "--recursive")) return undefined
  if (given.operands.some(isRoot)) return never("it would delete the whole file system")
  const isHome = ({ text }: CommandWord) => text !== undefined && text.replace(/\/+\**$/, "") === home
  return given.operands.some(isHome) ? never("it would delete the whole home folder") : undefined
}

/** `rm -rf *`: a whole folder, the one it runs in. */
export const deletesAllHere = (args: ReadonlyArray<CommandWord>): boolean =>
  args.some(({ text }) => /^-[a-zA-Z]*[rR]|^--r/.test(text ?? "")) &&
  args.some(({ text }) => /^(?:\.\/?|(?:\.\/)?\*)$/.test(text ?? ""))

const dd = (args: ReadonlyArray<CommandWord>): CommandEffect => {
  const outputs = args.flatMap((arg): ReadonlyArray<CommandWord> => {
    if (arg.text === undefined) return [arg]
    return arg.text.startsWith("of=") ? [{ ...arg, text: arg.text.slice(3) }] : []
  })
  if (outputs.some(({ text }) => text !== undefined && isBlockDevice(text)))
    return never("it would overwrite a disk")
  return outputs.length === 0 ? reads : writes(outputs)
}

/** What a command known to write does, or `undefined` for one that is not known to. */
export const find = (name: string, home: string): CommandRule | undefined => {
  if (/^mkfs(?:\.|$)|^mke2fs$|^wipefs$/.test(name)) return () => never("it would format a disk")
  if (name === "dd") return dd
  const writer = Object.hasOwn(writers, name) ? writers[name] : undefined
  if (writer === undefined) return undefined
  return (args) => {
    const fatal = name === "rm" ? rm(args, home) : undefined
    if (fatal !== undefined) return fatal
    const paths = writer.paths(options(args, writer.valued))
    if (paths.some((path) => isBlockDevice(beforeGlob(path) ?? "")))
      return never(`${name} would change a disk`)
    return paths.length === 0 ? asks(`${name} may write files`) : writes(paths)
  }
}
