/**
 * What a stdio server writes to its standard error: the last 64 KiB in memory, the last megabytes in
 * `logs/mcp-<server>.log`. The pipe is always read, however slow the disk is.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { ByteRing } from "./ByteRing.ts"
import * as LastWords from "./LastWords.ts"
import * as RotatingFile from "./RotatingFile.ts"

export interface StderrLog {
  /** Never waits: where the disk is slower than the server, the oldest of what is unwritten goes. */
  readonly push: (chunk: Uint8Array) => void
  /** The lines at its end that tell most (`LastWords`). */
  readonly lastWords: () => string
}

const ringBytes = 64 * 1024
/** What waits for the disk. */
const maxUnwrittenBytes = 4 * 1024 * 1024
/** Of the log, and once more of what was set aside. */
const maxFileBytes = 5 * 1024 * 1024

/** The file's name for a server, whatever the server is called. */
export const fileName = (server: string): string => {
  const safe = server.replace(/[^\p{L}\p{N}._ -]/gu, (one) => encodeURIComponent(one.toWellFormed()))
  return `mcp-${safe.slice(0, 100)}.log`
}

/** Writes to the file until the scope closes. A file that cannot be written is a warning; the memory still works. */
export const open = (fs: FileSystem.FileSystem, file: string): Effect.Effect<StderrLog, never, Scope.Scope> =>
  Effect.gen(function* () {
    const ring = new ByteRing(ringBytes)
    const unwritten = new ByteRing(maxUnwrittenBytes)
    const signal = yield* Queue.sliding<void>(1)
    const opened = yield* Effect.result(RotatingFile.open(fs, file, maxFileBytes))
    if (Result.isFailure(opened)) yield* Effect.logWarning(`${file} cannot be written`, opened.failure)
    else {
      const { append } = opened.success
      let isTold = false
      const flush = Effect.suspend(() => {
        const { bytes, lost } = unwritten.takeAll()
        const notice = new TextEncoder().encode(lost === 0 ? "" : `\n[${lost} bytes are left out here]\n`)
        return bytes.length === 0
          ? Effect.void
          : Effect.andThen(lost === 0 ? Effect.void : append(notice), append(bytes))
      }).pipe(
        Effect.catch((error) => {
          if (isTold) return Effect.void
          isTold = true
          return Effect.logWarning(`${file} cannot be written`, error)
        }),
        // What has been taken is written, also when the log is closed meanwhile.
        Effect.uninterruptible
      )
      yield* Effect.addFinalizer(() => flush)
      yield* Queue.take(signal).pipe(Effect.andThen(flush), Effect.forever, Effect.forkScoped)
    }
    return {
      push: (chunk) => {
        ring.push(chunk)
        if (Result.isFailure(opened)) return
        unwritten.push(chunk)
        Queue.offerUnsafe(signal, undefined)
      },
      lastWords: () => LastWords.of(new TextDecoder().decode(ring.bytes()))
    }
  })
