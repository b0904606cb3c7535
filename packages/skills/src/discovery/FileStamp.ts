/**
 * What tells a file or folder from its own state at another time, without reading it. Pure; taking stamps is
 * `SkillDisk`'s.
 */

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

export const directory = 0o040000
export const regular = 0o100000
export const kinds = 0o170000

export const isFile = ({ mode }: FileStamp): boolean => (mode & kinds) === regular
export const isDirectory = ({ mode }: FileStamp): boolean => (mode & kinds) === directory
export const isExecutable = (stamp: FileStamp): boolean => isFile(stamp) && (stamp.mode & 0o111) !== 0
