/**
 * The lease under which this process works on a run: how long it lasts, and that it is renewed as long as the run is
 * worked on. Who holds it is in `RunStore`.
 */
import { RunOwner, RunStore } from "@cow/core"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** A process that is not heard of for so long has lost its runs. */
export const lease = Context.Reference<Duration.Duration>("@cow/agent/RunClaim/lease", {
  defaultValue: () => Duration.seconds(15)
})

/** Well below the lease: one renewal may come late. */
export const renewEvery = Context.Reference<Duration.Duration>("@cow/agent/RunClaim/renewEvery", {
  defaultValue: () => Duration.seconds(5)
})

export const make: Effect.Effect<RunOwner.Claim> = Effect.gen(function* () {
  return { owner: yield* RunOwner.current, lease: yield* lease }
})

/** Renews the claim until the scope closes. `onLost`: it is another's, or nobody's, by now. */
export const keep = Effect.fnUntraced(function* (runId: string, onLost: Effect.Effect<unknown>) {
  const runs = yield* RunStore
  const claim = yield* make
  const renewal = runs.renew(runId, claim).pipe(
    Effect.as(true),
    Effect.catchTags({
      ClaimLost: () => Effect.as(onLost, false),
      // A store that cannot be written now may be in time for the next.
      RunStoreError: ({ message }) =>
        Effect.as(Effect.logWarning(`the claim on run ${runId} was not renewed: ${message}`), true)
    })
  )
  yield* Effect.repeat(renewal, {
    schedule: Schedule.spaced(yield* renewEvery),
    while: (held) => held
  }).pipe(Effect.forkScoped)
})
