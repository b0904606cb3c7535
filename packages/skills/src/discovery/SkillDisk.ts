/**
 * The port through which the disk is looked at: stamps, listings and files, many in a row. Over effect's `FileSystem`
 * here; `SkillDiskNode` goes straight to the system. Whether a stamp may be believed is `FileStamp`'s.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as PlatformError from "effect/PlatformError"
import { directory, type FileStamp, kinds, regular, same } from "./FileStamp.ts"

export type Entries = Effect.Success<ReturnType<FileSystem.FileSystem["readDirectoryEntries"]>>
type Stamps = ReadonlyArray<FileStamp | undefined>

/** Tells whether anything has happened to what is watched. Keeps a place of the system until it is closed. */
export interface DiskWatch {
  /** False: something may have changed since the last question. */
  readonly isQuiet: () => boolean
  /** Of the paths that were given, those that it cannot tell about. */
  readonly loose: ReadonlyArray<string>
  readonly close: () => void
}

export interface SkillDisk {
  /** One a path, in their order, links followed; undefined where there is nothing, or nothing that may be looked at. */
  readonly stamps: (paths: ReadonlyArray<string>) => Effect.Effect<Stamps>
  /** Whether each path has this stamp still. */
  readonly isUnchanged: (paths: ReadonlyArray<string>, stamps: Stamps) => Effect.Effect<boolean>
  /** What stands in a folder, links not followed. */
  readonly entries: (folder: string) => Effect.Effect<Entries, PlatformError.PlatformError>
  /** @param stamp as it was taken before */
  readonly bytes: (
    path: string,
    stamp: FileStamp | undefined
  ) => Effect.Effect<Uint8Array, PlatformError.PlatformError>
  /** Where the platform has one. What leads to a path (its folders above, links) is not watched. */
  readonly watch?: (paths: ReadonlyArray<string>) => Effect.Effect<DiskWatch | undefined>
}

/** A disk over the platform's file system. */
export type OpenDisk = (fs: FileSystem.FileSystem) => SkillDisk

const time = (date: Option.Option<Date>): number =>
  Option.match(date, { onNone: () => 0, onSome: (one) => one.getTime() })

/** For any `FileSystem`; one call a path. */
export const fromFileSystem: OpenDisk = (fs) => {
  const stamps = (paths: ReadonlyArray<string>) =>
    Effect.forEach(
      paths,
      (path) =>
        fs.stat(path).pipe(
          Effect.map(({ dev, ino, mode, mtime, size, type }): FileStamp => {
            const kind = type === "File" ? regular : type === "Directory" ? directory : 0
            return {
              dev: Number(dev),
              ino: Number(Option.getOrElse(ino, () => 0)),
              mode: (mode & ~kinds) | kind,
              size: Number(size),
              mtimeMs: time(mtime),
              ctimeMs: 0
            }
          }),
          Effect.orElseSucceed(() => undefined)
        ),
      { concurrency: 64 }
    )
  return {
    stamps,
    isUnchanged: (paths, before) =>
      Effect.map(stamps(paths), (now) => now.every((stamp, at) => same(stamp, before[at]))),
    entries: (folder) => fs.readDirectoryEntries(folder),
    bytes: (path) => fs.readFile(path)
  }
}
