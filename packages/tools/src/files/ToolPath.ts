/**
 * What a path given by a model means: which absolute path, which file it really is behind links, and whether that
 * lies in the workspace. Which files are secret is `SecretFiles`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

/** Links are followed this often before a path counts as leading nowhere. */
const maxLinks = 40

/** `~` and relative paths made absolute; `.` and `..` taken out. */
export const absolute = (path: Path.Path, given: string, folder: string, home: string): string => {
  if (given === "~") return home
  if (given.startsWith("~/")) return path.join(home, given.slice(2))
  return path.resolve(folder, given)
}

/**
 * The real path of a file that may not exist yet: links of every existing part resolved, a dangling link followed
 * to where it would write. `undefined`: a loop, or a folder that cannot be looked into.
 */
export const real = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  let here = path.resolve(file)
  let rest: ReadonlyArray<string> = []
  for (let links = 0; links < maxLinks; ) {
    const found = yield* Effect.option(fs.realPath(here))
    if (found._tag === "Some") return path.join(found.value, ...rest)
    const link = yield* Effect.option(fs.readLink(here))
    if (link._tag === "Some") {
      links++
      const parent = yield* Effect.option(fs.realPath(path.dirname(here)))
      if (parent._tag === "None") return undefined
      // What follows the link is taken as it is written: `..` behind a link means the target's parent.
      here = path.resolve(parent.value, link.value)
      continue
    }
    const parent = path.dirname(here)
    if (parent === here) return undefined
    rest = [path.basename(here), ...rest]
    here = parent
  }
  return undefined
})

/** True for the folder itself and what is below it. Both are real paths. */
export const isInside = (path: Path.Path, folder: string, file: string): boolean => {
  const relative = path.relative(folder, file)
  return relative === "" || (!path.isAbsolute(relative) && relative.split(path.sep)[0] !== "..")
}

/** True when a write to `file` would land in the workspace. A path that leads nowhere is outside. */
export const writesInside = Effect.fnUntraced(function* (file: string, workspace: string) {
  const path = yield* Path.Path
  const folder = yield* real(workspace)
  const target = yield* real(file)
  return folder !== undefined && target !== undefined && isInside(path, folder, target)
})

/**
 * Where the kernel ends up with a path as it is written: a `..` behind a link leads to the parent of what the link
 * names. `undefined`: a loop of links.
 */
export const climb = Effect.fnUntraced(function* (written: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const ahead = written.split("/").reverse()
  let here = "/"
  for (let links = 0; ahead.length > 0; ) {
    const part = ahead.pop()
    if (part === undefined || part === "" || part === ".") continue
    if (part === "..") {
      here = path.dirname(here)
      continue
    }
    const next = path.join(here, part)
    const link = yield* Effect.option(fs.readLink(next))
    if (link._tag === "None") here = next
    else if (++links > maxLinks) return undefined
    else {
      if (link.value.startsWith("/")) here = "/"
      ahead.push(...link.value.split("/").reverse())
    }
  }
  return here
})
