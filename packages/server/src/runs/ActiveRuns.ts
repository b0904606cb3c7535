/**
 * The runs this server works on now: each a fiber that ends with the server, and can be cancelled by its run id.
 *
 * Which run a published fact belongs to is told by the fiber that publishes it: the work of a request carries its
 * own listener in its context.
 */
import { type AgentEvent, Events } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

type Listener = (event: AgentEvent.AgentEvent) => Effect.Effect<void>

interface Work {
  readonly listener: Listener
  /** Known from its first event on, if not before. */
  runId: string | null
}

const CurrentWork = Context.Reference<Work | null>("@cow/server/CurrentWork", { defaultValue: () => null })

const make: Effect.Effect<ActiveRuns["Service"], never, Events | Scope.Scope> = Effect.gen(function* () {
  const events = yield* Events
  const fibers = yield* FiberSet.make<unknown, unknown>()
  const byRun = new Map<string, Work>()
  const fiberOf = new Map<Work, Fiber.Fiber<unknown, unknown>>()

  const own = (work: Work, runId: string) => {
    work.runId = runId
    byRun.set(runId, work)
  }

  yield* events.addSink(
    (runId, event) =>
      Effect.flatMap(CurrentWork, (work) => {
        if (work === null) return Effect.void
        if (work.runId === null) own(work, runId)
        return work.runId === runId ? work.listener(event) : Effect.void
      }),
    { patient: true }
  )

  return {
    launch: Effect.fnUntraced(function* (effect, listener, runId) {
      const work: Work = { listener, runId: null }
      if (runId !== undefined) own(work, runId)
      const fiber = yield* FiberSet.run(fibers, Effect.provideService(effect, CurrentWork, work))
      fiberOf.set(work, fiber)
      fiber.addObserver(() => {
        fiberOf.delete(work)
        if (work.runId !== null && byRun.get(work.runId) === work) byRun.delete(work.runId)
      })
      return fiber
    }),
    has: (runId) => byRun.has(runId),
    cancel: Effect.fnUntraced(function* (runId) {
      const work = byRun.get(runId)
      const fiber = work === undefined ? undefined : fiberOf.get(work)
      if (fiber === undefined) return false
      yield* Fiber.interrupt(fiber)
      return true
    })
  }
})

export class ActiveRuns extends Context.Service<
  ActiveRuns,
  {
    /** Starts the work. `listener` gets its events in order and is waited for; `runId`: where it is known before. */
    readonly launch: <A, E>(
      work: Effect.Effect<A, E>,
      listener: Listener,
      runId?: string
    ) => Effect.Effect<Fiber.Fiber<A, E>>
    readonly has: (runId: string) => boolean
    /** Interrupts the run and waits for its end. False: it is not worked on here. */
    readonly cancel: (runId: string) => Effect.Effect<boolean>
  }
>()("@cow/server/ActiveRuns") {
  /** Ends the runs with its scope, and waits for their end. */
  static readonly layer: Layer.Layer<ActiveRuns, never, Events> = Layer.effect(ActiveRuns, make)
}
