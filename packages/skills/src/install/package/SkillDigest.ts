/**
 * The digest of a skill: SHA-256 over its files, sorted by path, each with its path and bytes. Dates, modes and the
 * install mark are not part of it, so the same files have the same digest wherever they lie.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { sortBy } from "../../discovery/CodePointOrder.ts"
import * as FileStamp from "../../discovery/FileStamp.ts"
import type { SkillDisk } from "../../discovery/SkillDisk.ts"
import * as InstallMark from "../InstallMark.ts"

/** Something in the folder cannot be part of a digest: a link, a device, a file that cannot be read, too many. */
export class DigestImpossible extends Schema.TaggedError<DigestImpossible>()("DigestImpossible", {
  path: Schema.String,
  /** One line for people, with the path. */
  message: Schema.String
}) {}

/** A file's path below the skill's folder, with `/`, and its content. */
export interface DigestedFile {
  readonly path: string
  readonly bytes: Uint8Array
}

const maxFiles = 5_000

const sha256 = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)),
    (digest) => new Uint8Array(digest).toHex()
  )

const ofLines = (lines: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.map(sha256(new TextEncoder().encode(lines.join("\n"))), (hex) => `sha256:${hex}`)

export const ofFiles = Effect.fnUntraced(function* (files: Iterable<DigestedFile>) {
  const sorted = sortBy(files, ({ path }) => path)
  return yield* ofLines(
    yield* Effect.forEach(sorted, ({ bytes, path }) => Effect.map(sha256(bytes), (hex) => `${path}\0${hex}`))
  )
})

export interface FoundFile {
  /** Below the folder, with `/`. */
  readonly path: string
  readonly size: number
  readonly executable: boolean
}

/** The files below a skill's folder, without its mark, sorted by path. Fails at a link. */
export const filesIn = Effect.fn("SkillDigest.filesIn")(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const found: Array<FoundFile> = []
  const impossible = (at: string, why: string) => new DigestImpossible({ path: at, message: `${at}: ${why}` })
  const walk = (relative: string): Effect.Effect<void, DigestImpossible> =>
    Effect.gen(function* () {
      const here = path.join(folder, relative)
      for (const name of yield* fs.readDirectory(here)) {
        const below = relative === "" ? name : `${relative}/${name}`
        const at = path.join(here, name)
        if (below === InstallMark.fileName) continue
        const isLink = Option.isSome(yield* Effect.option(fs.readLink(at)))
        const info = isLink ? undefined : yield* fs.stat(at)
        if (info?.type === "Directory") yield* walk(below)
        else if (info?.type !== "File") return yield* impossible(at, "a link or device has no digest")
        else {
          found.push({ path: below, size: Number(info.size), executable: (info.mode & 0o111) !== 0 })
          if (found.length > maxFiles) return yield* impossible(folder, `more than ${maxFiles} files`)
        }
      }
    }).pipe(
      Effect.catchTag("PlatformError", (cause) =>
        Effect.fail(impossible(path.join(folder, relative), `it cannot be read (${cause.reason._tag})`))
      )
    )
  yield* walk("")
  return sortBy(found, (file) => file.path)
})

interface Known {
  readonly paths: ReadonlyArray<string>
  readonly stamps: ReadonlyArray<FileStamp.FileStamp | undefined>
  readonly digest: string
}

/**
 * Digests of folders, remembered while no file in them has changed. Trust rests on them, so only stamps count that no
 * program can put back: those with the time of the last change of any kind.
 */
export const make = Effect.fnUntraced(function* (disk: SkillDisk) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const known = new Map<string, Known>()

  return Effect.fn("SkillDigest.ofFolder")(
    function* (folder: string) {
      const now = yield* Clock.currentTimeMillis
      const files = yield* filesIn(folder)
      const paths = files.map((file) => path.join(folder, file.path))
      const stamps = yield* disk.stamps(paths)
      const before = known.get(folder)
      const isKnown =
        before?.paths.length === paths.length &&
        paths.every((one, at) => one === before.paths[at] && FileStamp.same(stamps[at], before.stamps[at]))
      if (isKnown) return before.digest
      const lines = yield* Effect.forEach(files, (file) =>
        fs.readFile(path.join(folder, file.path)).pipe(
          Effect.flatMap(sha256),
          Effect.map((hex) => `${file.path}\0${hex}`),
          Effect.mapError(
            (cause) =>
              new DigestImpossible({
                path: folder,
                message: `${path.join(folder, file.path)}: it cannot be read (${cause.reason._tag})`
              })
          )
        )
      )
      const digest = yield* ofLines(lines)
      const canTell = (stamp: FileStamp.FileStamp | undefined) =>
        stamp !== undefined && stamp.ctimeMs > 0 && FileStamp.isSettled(stamp, now)
      if (stamps.every(canTell)) known.set(folder, { paths, stamps, digest })
      else known.delete(folder)
      return digest
    },
    Effect.provideService(FileSystem.FileSystem, fs),
    Effect.provideService(Path.Path, path)
  )
})
