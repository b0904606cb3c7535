/**
 * What tells a file or folder from its own state at another time, without reading it. Taking many at once is the
 * port `ReadStamps`: over effect's `FileSystem` here, straight from the system in `FileStampNode`.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

export interface FileStamp {
  readonly dev: number
  readonly ino: number
  readonly mode: number
  readonly size: number
  /** Milliseconds, with fractions where the system gives them. */
  readonly mtimeMs: number
  /** The same of the last change of content, name or rights; 0 where it is not known. */
  readonly ctimeMs: number
}

/** One a path, in their order, links followed; undefined where there is nothing, or nothing that may be looked at. */
export type ReadStamps = (paths: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<FileStamp | undefined>>

export type Stamps = ReadonlyMap<string, FileStamp | undefined>

export const same = (left: FileStamp | undefined, right: FileStamp | undefined): boolean =>
  left === right ||
  (left !== undefined &&
    right !== undefined &&
    left.mtimeMs === right.mtimeMs &&
    left.ctimeMs === right.ctimeMs &&
    left.size === right.size &&
    left.ino === right.ino &&
    left.dev === right.dev &&
    left.mode === right.mode)

/** Coarser than the clock of any file system in use (FAT: 2 s). */
const settlingMillis = 3_000

/**
 * True when a change after `takenAt` must show in the stamp. A change in the same tick of the file system's clock
 * leaves no trace, so what changed just before it was looked at may have changed since.
 */
export const isSettled = (stamp: FileStamp | undefined, takenAt: number): boolean =>
  stamp === undefined || stamp.mtimeMs < takenAt - settlingMillis

const directory = 0o040000
const regular = 0o100000
const kinds = 0o170000

export const isFile = ({ mode }: FileStamp): boolean => (mode & kinds) === regular
export const isDirectory = ({ mode }: FileStamp): boolean => (mode & kinds) === directory
export const isExecutable = (stamp: FileStamp): boolean => isFile(stamp) && (stamp.mode & 0o111) !== 0

const time = (date: Option.Option<Date>): number =>
  Option.match(date, { onNone: () => 0, onSome: (one) => one.getTime() })

/** For any `FileSystem`; one call a path. */
export const fromFileSystem =
  (fs: FileSystem.FileSystem): ReadStamps =>
  (paths) =>
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
