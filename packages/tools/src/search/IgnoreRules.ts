/**
 * Which files a project wants left alone: `.gitignore` and `.ignore` of every folder from the top of the repository
 * down, `.git/info/exclude` and the user's own list, as git and ripgrep read them. Matching is the `ignore` library's,
 * loaded with the first rule; walking is `FileWalk`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { Ignore } from "ignore"

/** Names of the files with rules; the first has the last word. */
const names = [".ignore", ".gitignore"] as const
/** A longer file holds no rules that people have written. */
const maxBytes = 1024 * 1024
/** More of these in one part of a pattern are tried in too many ways against a long name. */
const maxStars = 3

/** The rules of one file: they count for what is below the folder. */
interface Rules {
  /** Absolute. */
  readonly folder: string
  readonly matcher: Ignore
  /** The same rules to begin with, and more. */
  readonly withMore: (pattern: string) => Rules
}

/** All rules that count in a folder, by where they come from; in each the nearest file first. */
export type IgnoreRules = ReadonlyArray<ReadonlyArray<Rules>>

/** A pattern that takes no longer than the name is long, more or less. */
const isTame = (pattern: string): boolean => {
  const parts = pattern.split("/")
  return (
    parts.every((part) => part === "**" || (part.match(/\*+/g) ?? []).length <= maxStars) &&
    parts.filter((part) => part === "**").length <= maxStars
  )
}

const readText = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const text = Effect.gen(function* () {
    const info = yield* fs.stat(file)
    return info.type === "File" && Number(info.size) <= maxBytes ? yield* fs.readFileString(file) : ""
  })
  // No rules can be read where there is no such file, or none that may be read.
  return yield* Effect.orElseSucceed(text, () => "")
})

const compile = Effect.fnUntraced(function* (folder: string, text: string) {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/)
  const patterns = lines.filter((line) => line.trim() !== "" && !line.startsWith("#") && isTame(line))
  if (patterns.length === 0) return []
  const { default: ignore } = yield* Effect.promise(() => import("ignore"))
  const isPattern = (pattern: string) =>
    Option.isSome(Option.liftThrowable(() => ignore().add({ pattern }).ignores("x"))())
  const make = (lines: ReadonlyArray<string>): Rules => ({
    folder,
    matcher: ignore({ ignorecase: false }).add(lines.map((pattern) => ({ pattern }))),
    withMore: (pattern) => make([...lines, pattern])
  })
  return [make(patterns.filter(isPattern))]
})

const rulesOf = (folder: string, file: string) =>
  Effect.flatMap(readText(file), (text) => compile(folder, text))

/** Where `info/exclude` of a repository is: in a working tree beside the main one `.git` is a file that says so. */
const excludeFile = Effect.fnUntraced(function* (top: string) {
  const path = yield* Path.Path
  const git = path.join(top, ".git")
  const named = /^gitdir:\s*(.+?)\s*$/m.exec(yield* readText(git))?.[1]
  if (named === undefined) return path.join(git, "info/exclude")
  const own = path.resolve(top, named)
  const shared = (yield* readText(path.join(own, "commondir"))).trim()
  return path.join(shared === "" ? own : path.resolve(own, shared), "info/exclude")
})

/** The same where a folder was entered by another rule, or by wish: then none of these leaves all of it out. */
const release = (path: Path.Path, rules: Rules, folder: string): Rules => {
  const relative = path.relative(rules.folder, folder)
  if (relative === "" || !rules.matcher.test(`${relative}/`).ignored) return rules
  return rules.withMore(`!/${relative.replace(/[\\*?[\]!# ]/g, "\\$&")}/`)
}

/** With the rules that a folder adds to those above it; `entries`: what is known to be in it. */
export const enter = Effect.fnUntraced(function* (
  rules: IgnoreRules,
  folder: string,
  entries?: ReadonlySet<string>
) {
  const path = yield* Path.Path
  const added = yield* Effect.forEach(names, (name) =>
    entries?.has(name) === false ? Effect.succeed([]) : rulesOf(folder, path.join(folder, name))
  )
  return rules.map((kind, at) => [...(added[at] ?? []), ...kind.map((one) => release(path, one, folder))])
})

/** The folders from `top` down to, but without, `folder`. */
const between = (path: Path.Path, top: string, folder: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = folder; at !== top && at !== path.dirname(at); ) {
    at = path.dirname(at)
    found.unshift(at)
  }
  return found
}

/** What counts before `root` is entered: the rules of the folders above it, up to the top of its repository. */
export const above = Effect.fnUntraced(function* (root: string, home: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  let top: string | undefined = root
  while (top !== undefined && !(yield* Effect.orElseSucceed(fs.exists(path.join(top, ".git")), () => false)))
    top = path.dirname(top) === top ? undefined : path.dirname(top)
  const exclude = top === undefined ? [] : yield* rulesOf(top, yield* excludeFile(top))
  const own = yield* rulesOf(top ?? root, path.join(home, ".config/git/ignore"))
  let rules: IgnoreRules = [...names.map(() => []), exclude, own]
  for (const folder of top === undefined ? [] : between(path, top, root)) rules = yield* enter(rules, folder)
  return rules
})

/** True when a path, absolute, is to be left alone. What it lies in was entered. */
export const ignores = (path: Path.Path, rules: IgnoreRules, file: string, isFolder: boolean): boolean => {
  for (const kind of rules)
    for (const { folder, matcher } of kind) {
      const { ignored, unignored } = matcher.test(path.relative(folder, file) + (isFolder ? "/" : ""))
      if (ignored || unignored) return ignored
    }
  return false
}
