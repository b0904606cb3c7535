/**
 * A file that is added to and never outgrows its bound: what is full is set aside as `FILE.1`, in place of the one
 * before. Also where several processes add to the same file.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Scope from "effect/Scope"

export interface RotatingFile {
  /** No more than the bound at once. One at a time. */
  readonly append: (bytes: Uint8Array) => Effect.Effect<void, PlatformError>
}

/** Opened now, closed with the scope. With what was set aside it holds twice `maxBytes` at most. */
export const open = (
  fs: FileSystem.FileSystem,
  file: string,
  maxBytes: number
): Effect.Effect<RotatingFile, PlatformError, Scope.Scope> =>
  Effect.gen(function* () {
    // One of its own, made now: what is opened later still closes after whoever adds to it.
    const outer = yield* Scope.fork(yield* Effect.scope)
    const openNow = Effect.gen(function* () {
      const scope = yield* Scope.fork(outer)
      const handle = yield* Scope.provide(fs.open(file, { flag: "a", mode: 0o600 }), scope)
      return { handle, scope }
    })
    let now = yield* openNow
    const sizeWith = (bytes: Uint8Array) =>
      Effect.map(now.handle.stat, ({ size }) => Number(size) + bytes.length)
    const reopen = Effect.gen(function* () {
      const { scope } = now
      now = yield* openNow
      yield* Scope.close(scope, Exit.void)
    })
    return {
      append: (bytes) =>
        Effect.gen(function* () {
          if ((yield* sizeWith(bytes)) > maxBytes) {
            // Somebody else may have set it aside already.
            yield* reopen
            if ((yield* sizeWith(bytes)) > maxBytes) {
              yield* fs.rename(file, `${file}.1`)
              yield* reopen
            }
          }
          yield* now.handle.writeAll(bytes)
        })
    }
  })
