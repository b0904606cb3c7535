/**
 * This is the layer for node:fs: looks at the disk in one go on the calling thread. For the small files and folders of
 * skills that is many times faster than a call each through the thread pool, and it is what a step of a run costs when
 * nothing changed. What fails, and what is large, goes the ordinary way, which knows the reason.
 */
import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { type FileStamp, isFile } from "./FileStamp.ts"
import * as FolderWatch from "./FolderWatch.ts"
import type { Entries, OpenDisk } from "./SkillDisk.ts"

/** Larger files do not hold up the thread. In bytes. */
const maxBytesInOneGo = 1024 * 1024

const quiet = { throwIfNoEntry: false } as const

const look = (path: string): Stats | undefined => {
  try {
    return statSync(path, quiet)
  } catch {
    // A folder without rights, a circle of links, a file where a folder was: nothing that can be looked at.
    return undefined
  }
}

const stampOf = (path: string): FileStamp | undefined => {
  const found = look(path)
  if (found === undefined) return undefined
  // A plain copy: keeping the system's own objects costs more each time they are compared.
  const { ctimeMs, dev, ino, mode, mtimeMs, size } = found
  return { ctimeMs, dev, ino, mode, mtimeMs, size }
}

const hasStamp = (path: string, stamp: FileStamp | undefined): boolean => {
  const now = look(path)
  if (now === undefined || stamp === undefined) return now === stamp
  return (
    now.ctimeMs === stamp.ctimeMs &&
    now.mtimeMs === stamp.mtimeMs &&
    now.ino === stamp.ino &&
    now.size === stamp.size &&
    now.dev === stamp.dev &&
    now.mode === stamp.mode
  )
}

const typeOf = (entry: Dirent): FileSystem.File.Type =>
  entry.isFile()
    ? "File"
    : entry.isDirectory()
      ? "Directory"
      : entry.isSymbolicLink()
        ? "SymbolicLink"
        : "Unknown"

/** None: it did not work this way. */
const attempt = <A>(work: () => A): Option.Option<A> => {
  try {
    return Option.some(work())
  } catch {
    return Option.none()
  }
}

const entriesOf = (folder: string): Entries =>
  readdirSync(folder, { withFileTypes: true }).map((entry) => ({ name: entry.name, type: typeOf(entry) }))

export const open: OpenDisk = (fs) => ({
  watch: FolderWatch.make(),
  stamps: (paths) => Effect.sync(() => paths.map(stampOf)),
  isUnchanged: (paths, stamps) =>
    Effect.sync(() => {
      for (let at = 0; at < paths.length; at++) if (!hasStamp(paths[at] as string, stamps[at])) return false
      return true
    }),
  entries: (folder) =>
    Effect.suspend(() => {
      const entries = attempt(() => entriesOf(folder))
      return Option.isSome(entries) ? Effect.succeed(entries.value) : fs.readDirectoryEntries(folder)
    }),
  bytes: (path, stamp) =>
    Effect.suspend(() => {
      const isSmall = stamp !== undefined && isFile(stamp) && stamp.size <= maxBytesInOneGo
      const bytes = isSmall ? attempt(() => readFileSync(path)) : Option.none()
      return Option.isSome(bytes) ? Effect.succeed<Uint8Array>(bytes.value) : fs.readFile(path)
    })
})
