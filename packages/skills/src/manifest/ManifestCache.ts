/**
 * Skill files as they were last read, in memory only: an unchanged file is neither read nor parsed again.
 *
 * A file counts as unchanged when its stamp is the same and was settled when it was read (`FileStamp`). One that changed
 * just before is read again and compared.
 */
import * as Effect from "effect/Effect"
import * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import * as FileStamp from "../discovery/FileStamp.ts"
import type { SeenDisk } from "../discovery/SeenDisk.ts"
import type { FoundSkill } from "../discovery/SkillDiscovery.ts"
import type { SkillDisk } from "../discovery/SkillDisk.ts"
import * as SkillManifest from "./SkillManifest.ts"

/** The manifest, or why there is none, in one line. */
export type ReadManifest = Result.Result<SkillManifest.SkillManifest, { readonly message: string }>

interface Entry {
  /** Undefined: it may have changed again since. */
  readonly stamp: FileStamp.FileStamp | undefined
  readonly text: string
  readonly fallbackName: string
  readonly manifest: ReadManifest
}

/** Larger files are refused. In bytes. */
export const maxFileBytes = 8 * 1024 * 1024

const maxEntries = 10_000

export const make = (disk: SkillDisk) => {
  const entries = new Map<string, Entry>()
  const decoder = new TextDecoder("utf-8", { fatal: true })

  const readText = Effect.fnUntraced(function* (path: string, stamp: FileStamp.FileStamp | undefined) {
    const bytes = yield* disk.bytes(path, stamp)
    return yield* Effect.try({
      try: () => decoder.decode(bytes),
      catch: () => ({ message: "the file is not UTF-8" })
    })
  })

  const readOne = Effect.fnUntraced(
    function* ({ path, fallbackName }: FoundSkill, stamp: FileStamp.FileStamp | undefined, takenAt: number) {
      if (stamp !== undefined && stamp.size > maxFileBytes)
        return yield* Effect.fail({ message: `the file is larger than ${maxFileBytes} bytes` })
      const text = yield* readText(path, stamp)
      const before = entries.get(path)
      const manifest =
        before?.text === text && before.fallbackName === fallbackName
          ? before.manifest
          : yield* Effect.result(SkillManifest.read(text, fallbackName)).pipe(
              Effect.map(Result.mapError(({ message }) => ({ message })))
            )
      if (entries.size >= maxEntries) entries.clear()
      const settled = stamp !== undefined && FileStamp.isSettled(stamp, takenAt)
      entries.set(path, { stamp: settled ? stamp : undefined, text, fallbackName, manifest })
      return yield* Effect.fromResult(manifest)
    },
    Effect.catchIf(PlatformError.isPlatformError, (error) =>
      Effect.fail({
        message: `the file cannot be read (${error.reason._tag})`
      })
    )
  )

  /** One a skill, in their order. */
  const read = Effect.fnUntraced(function* (skills: ReadonlyArray<FoundSkill>, seen: SeenDisk) {
    const stamps = yield* seen.note(skills.map(({ path }) => path))
    const known = skills.map(({ path, fallbackName }, at): ReadManifest | undefined => {
      const entry = entries.get(path)
      return entry?.stamp !== undefined &&
        FileStamp.same(entry.stamp, stamps[at]) &&
        entry.fallbackName === fallbackName
        ? entry.manifest
        : undefined
    })
    const unknown = skills.flatMap((skill, at) => (known[at] === undefined ? [{ skill, at }] : []))
    const fresh = yield* Effect.forEach(
      unknown,
      ({ skill, at }) => Effect.result(readOne(skill, stamps[at], seen.takenAt)),
      { concurrency: 16 }
    )
    for (const [index, { at }] of unknown.entries()) known[at] = fresh[index]
    return known as ReadonlyArray<ReadManifest>
  })

  return { read }
}
