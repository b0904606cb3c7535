/**
 * The plain files below a folder, by name; links are not followed, folders of dependencies and builds are left out,
 * and what the project's own rules leave out (`IgnoreRules`). What is looked for in them is `SearchFilesTool`.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as FolderEntries from "../files/FolderEntries.ts"
import * as IgnoreRules from "./IgnoreRules.ts"

/** Left out unless asked for. */
const ignoredFolders: ReadonlySet<string> = new Set(["node_modules", "dist", ".git", "__pycache__", ".venv"])

export interface WalkedFile {
  /** Relative to the root, with `/`. */
  readonly name: string
  readonly path: FolderEntries.AnyPath
}

export interface Walked {
  /** Sorted part by part. */
  readonly files: ReadonlyArray<WalkedFile>
  /** Folders and files left out, relative, sorted; folders end in `/`. */
  readonly ignored: ReadonlyArray<string>
  /** Folders that could not be read, relative. */
  readonly unreadable: ReadonlyArray<string>
  /** False: the time was up. */
  readonly complete: boolean
}

interface WalkLimits {
  /** True: nothing is left out. */
  readonly noIgnore: boolean
  /** Where the user's own list of what to leave out is. Absolute. */
  readonly home: string
  readonly isOver: () => boolean
}

interface Folder extends WalkedFile {
  /** What counts in it before its own rules are read; `undefined`: nothing is left out. */
  readonly rules: IgnoreRules.IgnoreRules | undefined
}

type Next = (WalkedFile & { readonly isFile: true }) | (Folder & { readonly isFile: false })

export const walk = Effect.fn("FileWalk.walk")(function* (
  root: string,
  { home, isOver, noIgnore }: WalkLimits
) {
  const path = yield* Path.Path
  const files: Array<WalkedFile> = []
  const ignored: Array<string> = []
  const unreadable: Array<string> = []
  const rules = noIgnore ? undefined : yield* IgnoreRules.above(root, home)
  const walked = (complete: boolean): Walked => ({ files, ignored: ignored.sort(), unreadable, complete })
  // What is to be looked at next is at the end.
  const todo: Array<Next> = [{ name: "", path: root, rules, isFile: false }]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (next.isFile) {
      files.push({ name: next.name, path: next.path })
      continue
    }
    if (isOver()) return walked(false)
    const folder = next
    const entries = yield* FolderEntries.list(folder.path).pipe(
      Effect.map((found) => [...found]),
      Effect.orElseSucceed(() => {
        unreadable.push(folder.name === "" ? "." : folder.name)
        return []
      })
    )
    const own =
      folder.rules === undefined || typeof folder.path !== "string"
        ? folder.rules
        : yield* IgnoreRules.enter(folder.rules, folder.path, new Set(entries.map(({ name }) => name)))
    entries.sort((left, right) => (left.name < right.name ? 1 : -1))
    for (const entry of entries) {
      const isFile = entry.type === "File"
      if (!isFile && entry.type !== "Directory") continue
      const name = folder.name === "" ? entry.name : `${folder.name}/${entry.name}`
      const isLeftOut =
        own !== undefined &&
        ((!isFile && ignoredFolders.has(entry.name)) ||
          IgnoreRules.ignores(path, own, path.join(root, name), !isFile))
      if (isLeftOut) ignored.push(isFile ? name : `${name}/`)
      else if (isFile) todo.push({ name, path: entry.path, isFile })
      else todo.push({ name, path: entry.path, rules: own, isFile: false })
    }
  }
  return walked(true)
})
