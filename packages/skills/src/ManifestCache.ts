/**
 * Skill files as they were last read, in memory only: an unchanged file is neither read nor parsed again.
 *
 * A file counts as unchanged when time, size and inode are the same and its last change was some time before it was
 * read. One that changed just before is read again and compared, since a second change in the same tick of the file
 * system's clock leaves no trace.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import type { FoundSkill } from "./SkillDiscovery.ts"
import * as SkillManifest from "./SkillManifest.ts"

/** The manifest, or why there is none, in one line. */
export type ReadManifest = Result.Result<SkillManifest.SkillManifest, { readonly message: string }>

interface Entry {
  readonly stamp: string
  /** Changed so long before it was read that a later change must show in the stamp. */
  readonly settled: boolean
  readonly text: string
  readonly fallbackName: string
  readonly manifest: ReadManifest
}

/** Larger files are refused. In bytes. */
export const maxFileBytes = 8 * 1024 * 1024

/** Coarser than the clock of any file system in use (FAT: 2 s). */
const settlingMillis = 3_000
const maxEntries = 10_000

export const make = Effect.map(FileSystem.FileSystem, (fs) => {
  const entries = new Map<string, Entry>()
  const decoder = new TextDecoder("utf-8", { fatal: true })

  const readText = Effect.fnUntraced(function* (path: string) {
    const bytes = yield* fs.readFile(path)
    return yield* Effect.try({
      try: () => decoder.decode(bytes),
      catch: () => ({ message: "the file is not UTF-8" })
    })
  })

  const read = Effect.fnUntraced(
    function* ({ path, fallbackName }: FoundSkill) {
      const now = yield* Clock.currentTimeMillis
      const info = yield* fs.stat(path)
      if (info.size > BigInt(maxFileBytes))
        return yield* Effect.fail({ message: `the file is larger than ${maxFileBytes} bytes` })
      const changedAt = Option.match(info.mtime, { onNone: () => now, onSome: (date) => date.getTime() })
      const stamp = [changedAt, info.size, info.dev, Option.getOrElse(info.ino, () => 0n)].join(" ")
      const settled = changedAt < now - settlingMillis
      const before = entries.get(path)
      const known = before !== undefined && before.fallbackName === fallbackName ? before : undefined
      if (known?.settled && known.stamp === stamp) return yield* Effect.fromResult(known.manifest)
      const text = yield* readText(path)
      const manifest =
        known?.text === text
          ? known.manifest
          : yield* Effect.result(SkillManifest.read(text, fallbackName)).pipe(
              Effect.map(Result.mapError(({ message }) => ({ message })))
            )
      if (entries.size >= maxEntries) entries.clear()
      entries.set(path, { stamp, settled, text, fallbackName, manifest })
      return yield* Effect.fromResult(manifest)
    },
    Effect.catchIf(PlatformError.isPlatformError, (error) =>
      Effect.fail({
        message: `the file cannot be read (${error.reason._tag})`
      })
    )
  )

  return { read: (skill: FoundSkill): Effect.Effect<ReadManifest> => Effect.result(read(skill)) }
})
