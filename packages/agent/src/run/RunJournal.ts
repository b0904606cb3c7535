/**
 * Where one run's events go: to the listeners at once, and to the run's stored history. Pieces of text are stored
 * as one event, so that a long answer is one row.
 */
import { type AgentEvent, Events, Excerpt, RunStore } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface RunJournal {
  readonly emit: (event: AgentEvent.AgentEvent) => Effect.Effect<void>
}

/**
 * Who hears the events of a worker's run, in place of the listeners: the run it works for, which tells of it what its
 * own listeners must know. Null: the run is nobody's worker, or works on its own.
 */
export const ParentEvents = Context.Reference<((event: AgentEvent.AgentEvent) => Effect.Effect<void>) | null>(
  "@cow/agent/RunJournal/ParentEvents",
  { defaultValue: () => null }
)

type Piece = AgentEvent.AgentEventOf<"text_delta"> | AgentEvent.AgentEventOf<"reasoning_delta">

const isPiece = (event: AgentEvent.AgentEvent): event is Piece =>
  event.type === "text_delta" || event.type === "reasoning_delta"

export const make = (runId: string): Effect.Effect<RunJournal, never, Events | RunStore> =>
  Effect.gen(function* () {
    const events = yield* Events
    const store = yield* RunStore
    const above = yield* ParentEvents
    const publish = (event: AgentEvent.AgentEvent) =>
      above === null ? events.publish(runId, event) : above(event)
    let held: Piece | null = null

    // A history that cannot be written costs the history, not the run.
    const append = (event: AgentEvent.AgentEvent) =>
      store.append(runId, event).pipe(
        Effect.catchCause((cause) => Effect.logWarning(`an event of run ${runId} was not stored`, cause)),
        Effect.asVoid
      )

    const keep = Effect.fnUntraced(function* (event: AgentEvent.AgentEvent) {
      if (isPiece(event) && held?.type === event.type) {
        held = { ...held, text: held.text + event.text }
        return
      }
      const before = held
      held = isPiece(event) ? event : null
      if (before !== null) yield* append(before)
      if (!isPiece(event)) yield* append(event)
    })

    return {
      emit: (given) =>
        Effect.suspend(() => {
          const event = Excerpt.wellFormedDeep(given)
          return Effect.andThen(publish(event), keep(event))
        })
    }
  })
