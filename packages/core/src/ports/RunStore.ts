/**
 * The port to stored runs: their state, what they wait for, and their events. The rules of the states are `Run`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { AgentEvent } from "../model/AgentEvent.ts"
import * as Page from "../model/Page.ts"
import { canBecome, type Run, RunStatus } from "../model/Run.ts"

export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", { id: Schema.String }) {}

export class IllegalTransition extends Schema.TaggedError<IllegalTransition>()("IllegalTransition", {
  id: Schema.String,
  from: RunStatus,
  to: RunStatus
}) {}

export class RunStoreError extends Schema.TaggedError<RunStoreError>()("RunStoreError", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

/** `sequence` starts at 1 and grows by 1 within a run. */
export interface StoredEvent {
  readonly sequence: number
  readonly event: AgentEvent
}

/** What changes when a run goes on. */
export type RunChange = Partial<Pick<Run, "steps" | "usage" | "pending" | "error">>

export interface RunList extends Page.PageRequest {
  readonly sessionId?: string
  readonly status?: RunStatus
}

export class RunStore extends Context.Service<
  RunStore,
  {
    readonly get: (id: string) => Effect.Effect<Run, RunNotFound | RunStoreError>
    /** The last created first. */
    readonly list: (request?: RunList) => Effect.Effect<Page.Page<Run>, RunStoreError>
    /** Fails when the id is taken. */
    readonly create: (run: Omit<Run, "createdAt" | "updatedAt">) => Effect.Effect<void, RunStoreError>
    /**
     * From exactly `from` to `to`, in one step: of two processes that try the same, one wins.
     * Fails with `IllegalTransition` when the run is not in `from` or the states forbid it; nothing changes then.
     */
    readonly transition: (
      id: string,
      from: RunStatus,
      to: RunStatus,
      change?: RunChange
    ) => Effect.Effect<Run, RunNotFound | IllegalTransition | RunStoreError>
    /** Gives the event's sequence number. */
    readonly append: (id: string, event: AgentEvent) => Effect.Effect<number, RunNotFound | RunStoreError>
    /** Those with a greater sequence number, ascending. */
    readonly events: (
      id: string,
      afterSequence: number
    ) => Effect.Effect<ReadonlyArray<StoredEvent>, RunNotFound | RunStoreError>
  }
>()("@cow/core/RunStore") {
  /** In this process only. */
  static readonly layerMemory: Layer.Layer<RunStore> = Layer.sync(RunStore, () => {
    const runs = new Map<string, { run: Run; readonly events: Array<StoredEvent> }>()
    const find = (id: string) =>
      Effect.suspend(() => {
        const found = runs.get(id)
        return found === undefined ? Effect.fail(new RunNotFound({ id })) : Effect.succeed(found)
      })
    const now = Effect.clockWith((clock) => clock.currentTimeMillis)
    return RunStore.of({
      get: (id) => Effect.map(find(id), ({ run }) => run),
      list: (request = {}) =>
        Effect.sync(() => {
          const { cursor, sessionId, status } = request
          const found = [...runs.values()]
            .map(({ run }, at) => ({ run, at }))
            .filter(({ at }) => cursor === undefined || at < cursor.at)
            .filter(({ run }) => sessionId === undefined || run.sessionId === sessionId)
            .filter(({ run }) => status === undefined || run.status === status)
            .reverse()
          const page = Page.make(found.slice(0, Page.toRead(request)), request, ({ at, run }) => ({
            at,
            id: run.id
          }))
          return { items: page.items.map(({ run }) => run), next: page.next }
        }),
      create: Effect.fnUntraced(function* (run) {
        const time = yield* now
        if (runs.has(run.id))
          return yield* new RunStoreError({ message: `run ${run.id} exists already`, cause: run.id })
        runs.set(run.id, { run: { ...run, createdAt: time, updatedAt: time }, events: [] })
      }),
      transition: Effect.fnUntraced(function* (id, from, to, change = {}) {
        const time = yield* now
        const entry = yield* find(id)
        const status = entry.run.status
        if (status !== from || !canBecome(from, to))
          return yield* new IllegalTransition({ id, from: status, to })
        entry.run = { ...entry.run, ...change, status: to, updatedAt: time }
        return entry.run
      }),
      append: (id, event) =>
        Effect.map(find(id), ({ events }) => events.push({ sequence: events.length + 1, event })),
      events: (id, after) =>
        Effect.map(find(id), ({ events }) => events.filter(({ sequence }) => sequence > after))
    })
  })
}
