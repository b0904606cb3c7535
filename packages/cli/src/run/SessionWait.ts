/** `--wait`: a run whose session is another process's begins when that is done with it. Who has it, the store says. */
import type { SessionBusy } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { Output } from "../terminal/Output.ts"

const lookEvery = "250 millis"

/** As long as it takes; said once on stderr. Without `--wait` the effect as it is. */
export const untilFree = <A, E extends { readonly _tag: string }, R>(
  wait: boolean,
  run: Effect.Effect<A, E | SessionBusy, R>
): Effect.Effect<A, E | SessionBusy, R | Output> => {
  if (!wait) return run
  let told = false
  const tell = Effect.fnUntraced(function* (error: { readonly _tag: string; readonly message?: string }) {
    if (error._tag !== "SessionBusy" || told) return
    told = true
    yield* (yield* Output).note(`cow: ${error.message}; waiting until it is free`)
  })
  return run.pipe(
    Effect.tapError(tell),
    Effect.retry({ while: ({ _tag }) => _tag === "SessionBusy", schedule: Schedule.spaced(lookEvery) })
  )
}
