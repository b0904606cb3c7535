/**
 * This is the layer for node:fs where it tells whether a file has changed: one call of `stat` on the calling thread,
 * with the file system's whole resolution. Through the thread pool the same takes ten times as long.
 */
import { statSync } from "node:fs"

/** The same text as long as the file is the same; `absent`, or `unreadable: …`. */
export type FileStamp = string

export const absent: FileStamp = "absent"

/** Two changes within one tick of the file system's clock look the same: what is this young is looked at once more. */
const tickMillis = 20n

export const take = (path: string): FileStamp => {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (stat === undefined) return absent
    const { ctimeNs, dev, ino, mtimeNs, size } = stat
    const isYoung = BigInt(Date.now()) * 1_000_000n - ctimeNs < tickMillis * 1_000_000n
    return `${mtimeNs} ${ctimeNs} ${size} ${dev}:${ino}${isYoung ? " young" : ""}`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // A file where a folder was expected: there is no such file either.
    return code === "ENOTDIR" ? absent : `unreadable: ${message}`
  }
}
