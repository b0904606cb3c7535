/**
 * Runs as they stand now: one that was worked on by a process that is gone counts as failed, not as running for ever.
 * What is done to a run is `RunHandlers`.
 */
import { Run, type RunList, RunStore } from "@cow/core"
import * as Effect from "effect/Effect"
import * as HttpFailure from "../failure/HttpFailure.ts"
import { internalFailure } from "../failure/InternalFailure.ts"
import { ActiveRuns } from "./ActiveRuns.ts"

export const make = Effect.gen(function* () {
  const active = yield* ActiveRuns
  const runs = yield* RunStore

  /** Asks the store who is still there only where it is not known. */
  const find = (id: string) =>
    runs.get(id).pipe(
      Effect.filterOrElse(
        (run) => !Run.isWorkedOn(run.status) || active.has(id),
        () => Effect.andThen(runs.endInterrupted, runs.get(id))
      ),
      Effect.catchTag("RunNotFound", () => Effect.fail(HttpFailure.runNotFound(id))),
      Effect.catchTag("RunStoreError", internalFailure)
    )

  const list = (request: RunList) =>
    Effect.andThen(runs.endInterrupted, runs.list(request)).pipe(
      Effect.catchTag("RunStoreError", internalFailure)
    )

  const events = (id: string, after: number) =>
    Effect.andThen(find(id), runs.events(id, after)).pipe(
      Effect.catchTag("RunNotFound", () => Effect.fail(HttpFailure.runNotFound(id))),
      Effect.catchTag("RunStoreError", internalFailure)
    )

  return { find, list, events }
})
