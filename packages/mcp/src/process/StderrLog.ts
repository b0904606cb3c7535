/** What a stdio server writes to its standard error: the last 64 KiB in memory, all of it in `logs/mcp-<server>.log`. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as LastWords from "./LastWords.ts"

export interface StderrLog {
  /** Never waits: where the disk is slower than the server, the oldest of what is unwritten goes. */
  readonly push: (chunk: Uint8Array) => void
  /** The lines at its end that tell most (`LastWords`). */
  readonly lastWords: () => string
}

const ringBytes = 64 * 1024
const maxUnwrittenBytes = 4 * 1024 * 1024
/** A log that has grown over this starts anew with the next process. */
const maxFileBytes = 10n * 1024n * 1024n

class Chunks {
  private list: Array<Uint8Array> = []
  private size = 0
  constructor(private readonly max: number) {}

  push(chunk: Uint8Array): void {
    // A copy, and no more than can be kept.
    this.list.push(chunk.slice(-this.max))
    this.size += Math.min(chunk.length, this.max)
    while (this.list.length > 1 && this.size - (this.list[0]?.length ?? 0) >= this.max)
      this.size -= this.list.shift()?.length ?? 0
  }

  takeAll(): ReadonlyArray<Uint8Array> {
    const all = this.list
    this.list = []
    this.size = 0
    return all
  }

  text(): string {
    const decoder = new TextDecoder()
    const parts = this.list.map((chunk) => decoder.decode(chunk, { stream: true }))
    return (parts.join("") + decoder.decode()).slice(-this.max)
  }
}

/** The file's name for a server, whatever the server is called. */
export const fileName = (server: string): string => {
  const safe = server.replace(/[^\p{L}\p{N}._ -]/gu, (one) => encodeURIComponent(one.toWellFormed()))
  return `mcp-${safe.slice(0, 100)}.log`
}

/** Writes to the file until the scope closes. A file that cannot be written is a warning; the memory still works. */
export const open = (fs: FileSystem.FileSystem, file: string): Effect.Effect<StderrLog, never, Scope.Scope> =>
  Effect.gen(function* () {
    const ring = new Chunks(ringBytes)
    const unwritten = new Chunks(maxUnwrittenBytes)
    const signal = yield* Queue.sliding<void>(1)
    const tooLong = yield* fs.stat(file).pipe(
      Effect.map((info) => BigInt(info.size) > maxFileBytes),
      Effect.orElseSucceed(() => false)
    )
    const opened = yield* Effect.result(fs.open(file, { flag: tooLong ? "w" : "a", mode: 0o600 }))
    if (opened._tag === "Failure") yield* Effect.logWarning(`${file} cannot be written`, opened.failure)
    else {
      const flush = Effect.suspend(() =>
        Effect.forEach(unwritten.takeAll(), (chunk) => opened.success.writeAll(chunk), { discard: true })
      ).pipe(Effect.catch((error) => Effect.logWarning(`${file} cannot be written`, error)))
      yield* Effect.addFinalizer(() => flush)
      yield* Queue.take(signal).pipe(Effect.andThen(flush), Effect.forever, Effect.forkScoped)
    }
    return {
      push: (chunk) => {
        ring.push(chunk)
        unwritten.push(chunk)
        Queue.offerUnsafe(signal, undefined)
      },
      lastWords: () => LastWords.of(ring.text())
    }
  })
