/**
 * Looks now and then, while a call is open, whether the server still holds its standard output. Some runtimes keep a
 * second handle of the pipe, which then never ends although the output is closed.
 *
 * One look serves all calls; where none is open nothing is done.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"

const interval = "500 millis"

export type Guard = <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** Calls `closed` once. Does nothing where there is no `/proc`. */
export const make = (
  fs: FileSystem.FileSystem,
  pid: number,
  closed: () => void
): Effect.Effect<Guard, never, Scope.Scope> =>
  Effect.gen(function* () {
    const output = Effect.result(fs.readLink(`/proc/${pid}/fd/1`))
    if (Result.isFailure(yield* output)) return (call) => call
    const calling = Latch.makeUnsafe()
    let open = 0
    const look = Effect.suspend(() => {
      if (open > 0) return Effect.map(output, Result.isSuccess)
      calling.closeUnsafe()
      return Effect.succeed(true)
    })
    yield* calling.await.pipe(
      Effect.andThen(Effect.delay(look, interval)),
      Effect.repeat({ while: (isOpen) => isOpen }),
      Effect.andThen(Effect.sync(closed)),
      Effect.forkScoped
    )
    return (call) =>
      Effect.suspend(() => {
        open++
        calling.openUnsafe()
        return Effect.ensuring(
          call,
          Effect.sync(() => void open--)
        )
      })
  })
