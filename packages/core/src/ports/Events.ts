/**
 * Where the facts of runs go. Sinks get every event in order, one after the other; one that fails is logged and
 * neither stops the run nor the other sinks.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { AgentEvent } from "../model/AgentEvent.ts"
import * as Registrations from "./Registrations.ts"

/** A sink is waited for: what it has not taken yet has not happened for the run. */
export type EventSink = (runId: string, event: AgentEvent) => Effect.Effect<void>

export class Events extends Context.Service<
  Events,
  {
    readonly publish: (runId: string, event: AgentEvent) => Effect.Effect<void>
    /** From now on and until the scope closes. */
    readonly addSink: (sink: EventSink) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@cow/core/Events") {
  static readonly layer: Layer.Layer<Events> = Layer.sync(Events, () => {
    const sinks = Registrations.make<EventSink>()
    const tell = (sink: EventSink, runId: string, event: AgentEvent) =>
      Effect.suspend(() => sink(runId, event)).pipe(
        Effect.catchCause((cause) => Effect.logWarning(`a listener failed on ${event.type}`, cause))
      )
    const publish = (runId: string, event: AgentEvent) =>
      Effect.suspend(() =>
        Effect.forEach(sinks.entries(), (sink) => tell(sink, runId, event), { discard: true })
      )
    return Events.of({ publish, addSink: sinks.register })
  })
}
