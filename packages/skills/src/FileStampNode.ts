/**
 * This is the layer for node:fs: stamps taken in one go on the calling thread. At two microseconds each that is ten
 * times faster than a call a file through the thread pool, and it is what a step of a run costs when nothing changed.
 */
import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { FileStamp, ReadStamps } from "./FileStamp.ts"

const quiet = { throwIfNoEntry: false } as const

const stampOf = (path: string): FileStamp | undefined => {
  try {
    const found = statSync(path, quiet)
    if (found === undefined) return undefined
    // A plain copy: comparing the system's own objects takes as long as taking them.
    const { ctimeMs, dev, ino, mode, mtimeMs, size } = found
    return { ctimeMs, dev, ino, mode, mtimeMs, size }
  } catch {
    // A folder without rights, a circle of links, a file where a folder was: nothing that can be looked at.
    return undefined
  }
}

export const read: ReadStamps = (paths) => Effect.sync(() => paths.map(stampOf))
