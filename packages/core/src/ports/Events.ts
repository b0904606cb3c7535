/**
 * Where the facts of runs go. Sinks get every event in order, one after the other; one that fails is logged and
 * neither stops the run nor the other sinks; one that hangs is dropped.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { AgentEvent } from "../model/AgentEvent.ts"
import * as Guest from "../model/Guest.ts"
import * as Registrations from "./Registrations.ts"

/** A sink is waited for: what it has not taken yet has not happened for the run. */
export type EventSink = (runId: string, event: AgentEvent) => Effect.Effect<void>

export interface SinkOptions {
  /**
   * True: the run waits for it however long it takes, as for a person's terminal that stands still. Otherwise a sink
   * that has not taken an event within `Guest.maxSeconds` is told no more.
   */
  readonly patient?: boolean
}

interface Told {
  readonly sink: EventSink
  readonly patient: boolean
}

export class Events extends Context.Service<
  Events,
  {
    readonly publish: (runId: string, event: AgentEvent) => Effect.Effect<void>
    /** From now on and until the scope closes. */
    readonly addSink: (sink: EventSink, options?: SinkOptions) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@cow/core/Events") {
  static readonly layer: Layer.Layer<Events> = Layer.sync(Events, () => {
    const sinks = Registrations.make<Told>()
    const dropped = new WeakSet<Told>()
    const tell = Effect.fnUntraced(function* (told: Told, runId: string, event: AgentEvent) {
      if (dropped.has(told)) return
      const seconds = yield* Guest.maxSeconds
      const limit = told.patient ? undefined : Duration.seconds(seconds)
      const outcome = yield* Guest.settle(() => told.sink(runId, event), limit)
      if (outcome._tag === "Given") return
      if (outcome._tag !== "Late")
        return yield* Effect.logWarning(`a listener failed on ${event.type}: it ${Guest.describe(outcome)}`)
      dropped.add(told)
      yield* Effect.logWarning(
        `a listener has not taken ${event.type} within ${seconds} s, and is told no more`
      )
    })
    const publish = (runId: string, event: AgentEvent) =>
      Effect.suspend(() =>
        Effect.forEach(sinks.entries(), (told) => tell(told, runId, event), { discard: true })
      )
    return Events.of({
      publish,
      addSink: (sink, { patient = false } = {}) => sinks.register({ sink, patient })
    })
  })
}
