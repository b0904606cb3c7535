/**
 * The plain files below a folder, by name; links are not followed, folders of dependencies and builds are left out.
 * What is looked for in them is `SearchFilesTool`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

/** Left out unless asked for. */
export const ignoredFolders: ReadonlySet<string> = new Set([
  "node_modules",
  "dist",
  ".git",
  "__pycache__",
  ".venv"
])

export interface Walked {
  /** Relative to the root, with `/`, sorted part by part. */
  readonly files: ReadonlyArray<string>
  /** Folders left out, relative. */
  readonly ignored: ReadonlyArray<string>
  /** Folders that could not be read, relative. */
  readonly unreadable: ReadonlyArray<string>
  /** False: the time was up. */
  readonly complete: boolean
}

export const walk = Effect.fn("FileWalk.walk")(function* (
  root: string,
  { noIgnore, isOver }: { readonly noIgnore: boolean; readonly isOver: () => boolean }
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const files: Array<string> = []
  const ignored: Array<string> = []
  const unreadable: Array<string> = []
  // What is to be looked at next is at the end.
  const todo: Array<{ readonly name: string; readonly isFolder: boolean }> = [{ name: "", isFolder: true }]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (!next.isFolder) {
      files.push(next.name)
      continue
    }
    if (isOver()) return { files, ignored, unreadable, complete: false } satisfies Walked
    const folder = next.name
    const entries = yield* fs.readDirectoryEntries(path.join(root, folder)).pipe(
      Effect.map((found) => [...found]),
      Effect.orElseSucceed(() => {
        unreadable.push(folder === "" ? "." : folder)
        return []
      })
    )
    entries.sort((left, right) => (left.name < right.name ? 1 : -1))
    for (const { name, type } of entries) {
      const relative = folder === "" ? name : `${folder}/${name}`
      if (type === "File") todo.push({ name: relative, isFolder: false })
      else if (type === "Directory")
        if (!noIgnore && ignoredFolders.has(name)) ignored.push(relative)
        else todo.push({ name: relative, isFolder: true })
    }
  }
  return { files, ignored, unreadable, complete: true } satisfies Walked
})
