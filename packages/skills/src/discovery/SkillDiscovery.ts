/**
 * Finds the skill files below one root: which files they are, never what they say (`SkillManifest`).
 *
 * The same tree gives the same answer whatever order the disk lists it in, links that lead in a circle or out of
 * bounds end the search there, and what cannot be read costs only itself.
 */
import { Diagnostic } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as InstallMark from "../install/InstallMark.ts"
import type { SkillSource } from "../manifest/Skill.ts"
import { compare, sortBy } from "./CodePointOrder.ts"
import * as SeenDisk from "./SeenDisk.ts"
import * as SkillDisk from "./SkillDisk.ts"

export interface SkillRoot {
  /** Absolute. */
  readonly path: string
  readonly source: SkillSource
  /** True: somebody asked for this very folder, so it is reported when it is missing. */
  readonly named: boolean
}

export interface FoundSkill {
  /** Absolute, as it was reached. */
  readonly path: string
  readonly baseDir: string
  /** Without links: the same for two ways to one file. */
  readonly realPath: string
  /** What the skill is called when its file does not say. */
  readonly fallbackName: string
  /** Its folder, or one above it below the root, carries an install mark. */
  readonly installed: boolean
}

export interface Discovered {
  /** Sorted by path. */
  readonly found: ReadonlyArray<FoundSkill>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
  /** False: something below the root could not be read, so what is missing may still be there. */
  readonly complete: boolean
}

/** Folders read below one root at most, levels below it, and levels below a link. */
const maxFolders = 5_000
const maxDepth = 8
const maxDepthBelowLink = 2

const ignored = new Set(["node_modules", "venv", "__pycache__"])
const isIgnored = (name: string): boolean => name.startsWith(".") || ignored.has(name)

interface Folder {
  readonly path: string
  readonly realPath: string
  /** How many levels may still be gone down. */
  readonly depth: number
  readonly installed: boolean
}

type SkipReason = PlatformError.SystemError["_tag"] | "BadArgument" | "too deep"

/**
 * A root that is missing has no skills, and says so only when it was `named`.
 *
 * @param given told of everything that the answer rests on, but the content of the files it found
 */
export const scan = Effect.fn("SkillDiscovery.scan")(function* (root: SkillRoot, given?: SeenDisk.SeenDisk) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const seenDisk = given ?? (yield* SeenDisk.make(fs, SkillDisk.fromFileSystem(fs)))
  const found: Array<FoundSkill> = []
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  const seen = new Set<string>()
  let complete = true
  let folders = 0

  const skip = (where: string, what: string, reason: SkipReason) => {
    complete = false
    diagnostics.push(Diagnostic.warning(where, `${what} (${reason})`))
  }
  yield* seenDisk.anchor([root.path])
  const real = fs.realPath(root.path).pipe(Effect.map((value) => ({ value })))
  const start = yield* real.pipe(Effect.catch((error) => Effect.succeed({ error: error.reason._tag })))
  if ("error" in start) {
    if (start.error !== "NotFound") skip(root.path, "this folder of skills cannot be read", start.error)
    else if (root.named)
      diagnostics.push(Diagnostic.warning(root.path, "this folder of skills does not exist"))
    // Without a root that should be there, nothing can be said to be gone.
    return { found, diagnostics, complete: complete && !root.named } satisfies Discovered
  }
  const rootInfo = yield* fs.stat(root.path).pipe(Effect.option)
  if (rootInfo._tag === "Some" && rootInfo.value.type !== "Directory") {
    diagnostics.push(Diagnostic.warning(root.path, "this is a file, not a folder of skills"))
    return { found, diagnostics, complete: false } satisfies Discovered
  }

  /** Where a link leads, when it can be followed. */
  const follow = Effect.fnUntraced(function* (link: string) {
    yield* seenDisk.anchor([link])
    const target = yield* Effect.zip(fs.realPath(link), fs.stat(link)).pipe(
      Effect.catch((error) =>
        Effect.as(
          Effect.sync(() => skip(link, "this link leads nowhere", error.reason._tag)),
          null
        )
      )
    )
    return target === null ? undefined : { realPath: target[0], type: target[1].type }
  })
  const isAbove = (folder: string): boolean =>
    folder === start.value || start.value.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep)

  const add = (skill: FoundSkill): void => {
    if (seen.has(skill.realPath)) return
    seen.add(skill.realPath)
    found.push(skill)
  }

  /** What stands in a folder, or why that cannot be known; nothing is reported before it is that folder's turn. */
  const look = (folder: Folder) =>
    seenDisk.list(folder.path).pipe(
      Effect.map((entries) => ({ entries })),
      Effect.catch((error) => Effect.succeed({ error: error.reason._tag }))
    )
  type Look = Effect.Success<ReturnType<typeof look>>

  const visit: (folder: Folder, seenThere: Look) => Effect.Effect<void> = Effect.fnUntraced(
    function* (folder, there) {
      const isRoot = folder.path === root.path
      if (!isRoot && seen.has(folder.realPath)) return
      seen.add(folder.realPath)
      if (++folders > maxFolders) {
        if (folders === maxFolders + 1) {
          complete = false
          diagnostics.push(
            Diagnostic.warning(root.path, `more than ${maxFolders} folders; the rest is not looked at`)
          )
        }
        return
      }
      if ("error" in there) return skip(folder.path, "this folder cannot be read", there.error)
      const listed = there.entries
      const installed = folder.installed || listed.some(({ name }) => name === InstallMark.fileName)
      const entries = sortBy(listed, ({ name }) => name).filter(({ name }) => !isIgnored(name))
      const below: Array<Folder> = []
      const files: Array<FoundSkill> = []
      for (const { name, type } of entries) {
        const at = path.join(folder.path, name)
        const isSkillFile = name === "SKILL.md"
        const isLoose = isRoot && name.endsWith(".md") && !/^(?:readme|skill)\.md$/i.test(name)
        if (type === "File" && !isSkillFile && !isLoose) continue
        const link = type === "SymbolicLink" || type === "Unknown" ? yield* follow(at) : undefined
        if (type !== "File" && type !== "Directory" && link === undefined) continue
        const realPath = link?.realPath ?? path.join(folder.realPath, name)
        const kind = link?.type ?? type
        if (kind === "File" && (isSkillFile || isLoose))
          files.push({
            path: at,
            baseDir: folder.path,
            realPath,
            fallbackName: isSkillFile ? path.basename(folder.path) : name.slice(0, -".md".length),
            installed
          })
        if (kind !== "Directory") continue
        if (link !== undefined && isAbove(realPath))
          diagnostics.push(Diagnostic.warning(at, "this link leads to a folder above and is not followed"))
        else {
          const depth = link === undefined ? folder.depth - 1 : Math.min(folder.depth - 1, maxDepthBelowLink)
          below.push({ path: at, realPath, depth, installed })
        }
      }
      for (const file of files) add(file)
      if (!isRoot && files.length > 0) {
        // From here on only the file itself counts, unless a digest is taken of the whole folder.
        if (!installed) seenDisk.release(folder.path)
        return
      }
      const near = below.filter(({ depth }) => depth >= 0).slice(0, maxFolders + 1 - folders)
      const looks = yield* Effect.forEach(near, look, { concurrency: 16 })
      for (const [at, next] of near.entries()) yield* visit(next, looks[at] as Look)
      for (const { path, depth } of below)
        if (depth < 0) skip(path, "this folder is not looked at", "too deep")
    }
  )
  const top: Folder = { path: root.path, realPath: start.value, depth: maxDepth, installed: false }
  yield* visit(top, yield* look(top))
  return {
    found: [...found].sort((left, right) => compare(left.path, right.path)),
    diagnostics,
    complete
  } satisfies Discovered
})
