/**
 * What a scan saw of the disk: a stamp of every folder and file that its answer rests on, each taken before it was
 * read. As long as all stamps are the same the answer is; taking them is far cheaper than a scan.
 *
 * An answer that has stood for some questions is watched, where the disk can: as long as nothing happens, only what a
 * watch cannot tell about is stamped. Anything that does happen leads back to the stamps.
 *
 * Also remembers listings of folders, so that a scan after a change reads only what changed.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as FileStamp from "./FileStamp.ts"
import type { DiskWatch, Entries, SkillDisk } from "./SkillDisk.ts"

interface Listing {
  readonly stamp: FileStamp.FileStamp
  readonly entries: Entries
}

export interface SeenDisk {
  /** Milliseconds since 1970, before the first look. */
  readonly takenAt: number
  /** What stands in a folder, links not followed. */
  readonly list: (folder: string) => Effect.Effect<Entries, PlatformError.PlatformError>
  /** Stamps of these, which from now on count. */
  readonly note: (
    paths: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<FileStamp.FileStamp | undefined>>
  /** The same for where a scan begins and where links lead: every question looks whether they are there still. */
  readonly anchor: (paths: ReadonlyArray<string>) => Effect.Effect<void>
  /** Everything below a folder counts, whatever its depth. */
  readonly noteBelow: (folder: string) => Effect.Effect<void>
  /** Takes back one `list` of this folder: what stands in it does not count. */
  readonly release: (path: string) => void
  /** True while nothing that counts can have changed. */
  readonly isFresh: Effect.Effect<boolean>
  /** Ends the watch. */
  readonly close: () => void
}

/** Questions that an answer must stand before a watch, which costs as much as two, is set up for it. */
const questionsBeforeWatch = 3
const maxListings = 20_000

export const make = (fs: FileSystem.FileSystem, disk: SkillDisk) => {
  const listings = new Map<string, Listing>()

  /** For one scan. */
  return Effect.map(Clock.currentTimeMillis, (takenAt): SeenDisk => {
    const taken = new Map<string, FileStamp.FileStamp | undefined>()
    const anchors = new Set<string>()
    /** How many scans of roots need it. */
    const needed = new Map<string, number>()
    const need = (folder: string, more: 1 | -1): number => {
      const count = (needed.get(folder) ?? 0) + more
      needed.set(folder, count)
      return count
    }
    const release = (folder: string) => {
      if (need(folder, -1) === 0 && !anchors.has(folder)) taken.delete(folder)
    }
    const note = (paths: ReadonlyArray<string>) =>
      Effect.tap(disk.stamps(paths), (stamps) =>
        Effect.sync(() => {
          // Of two stamps of one path the older counts: what was read may be older than the newer.
          for (const [at, path] of paths.entries()) if (!taken.has(path)) taken.set(path, stamps[at])
        })
      )
    const list = Effect.fnUntraced(function* (folder: string) {
      const [stamp] = yield* note([folder])
      need(folder, 1)
      const known = listings.get(folder)
      if (stamp !== undefined && known !== undefined && FileStamp.same(known.stamp, stamp))
        return known.entries
      const entries = yield* disk.entries(folder)
      if (listings.size >= maxListings) listings.clear()
      if (stamp !== undefined && FileStamp.isSettled(stamp, takenAt)) listings.set(folder, { stamp, entries })
      else listings.delete(folder)
      return entries
    })
    const noteBelow = Effect.fnUntraced(function* (folder: string) {
      const names = yield* Effect.orElseSucceed(fs.readDirectory(folder, { recursive: true }), () => [])
      yield* note([folder, ...names.map((name) => `${folder}/${name}`)])
    })
    const anchor = (paths: ReadonlyArray<string>) =>
      Effect.andThen(
        Effect.sync(() => {
          for (const path of paths) anchors.add(path)
        }),
        Effect.asVoid(note(paths))
      )

    const unchanged = (paths: ReadonlyArray<string>) =>
      disk.isUnchanged(
        paths,
        paths.map((path) => taken.get(path))
      )
    let questions = 0
    let closed = false
    let watch: DiskWatch | undefined
    let [all, loose] = [Effect.succeed(false), Effect.succeed(false)]
    const begin = Effect.gen(function* () {
      const begun = yield* disk.watch?.([...taken.keys()]) ?? Effect.succeed(undefined)
      if (closed) begun?.close()
      else if (begun !== undefined) {
        watch = begun
        loose = unchanged([...new Set([...anchors, ...begun.loose])])
      }
    })
    const isFresh = Effect.gen(function* () {
      if (watch?.isQuiet() === true) return yield* loose
      if (questions === 0 && [...taken.values()].every((stamp) => FileStamp.isSettled(stamp, takenAt)))
        all = unchanged([...taken.keys()])
      // What changes while it begins to be watched shows in the stamps that are compared then.
      if (++questions === questionsBeforeWatch) yield* begin
      return yield* all
    })
    const close = () => {
      closed = true
      watch?.close()
      watch = undefined
    }
    return { takenAt, list, note, anchor, noteBelow, release, isFresh, close }
  })
}
