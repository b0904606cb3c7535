/**
 * The port to stored runs: their state, who works on them, what they wait for, and their events. The rules of the
 * states are `Run`.
 *
 * A session has one open run at most, so who claims a run has its session. A claim is a lease: it ends when it is
 * not renewed in time, and at once when the store can tell that its owner is gone.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { AgentEvent } from "../model/AgentEvent.ts"
import * as Page from "../model/Page.ts"
import { canBecome, isFinal, isWorkedOn, type Run, RunStatus } from "../model/Run.ts"
import { type Claim, RunOwner } from "../model/RunOwner.ts"

export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", { id: Schema.String }) {}

export class IllegalTransition extends Schema.TaggedError<IllegalTransition>()("IllegalTransition", {
  id: Schema.String,
  from: RunStatus,
  to: RunStatus
}) {}

/** The session has an open run: one that is worked on, or one that waits for an approval. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", {
  sessionId: Schema.String,
  /** Null: it has no id yet. */
  runId: Schema.NullOr(Schema.String),
  status: RunStatus,
  /** Who works on it; null for one that waits. */
  owner: Schema.NullOr(RunOwner)
}) {
  /** One line for people: which session, and who has it. */
  override get message(): string {
    const run = this.runId === null ? "" : ` (run ${this.runId})`
    if (this.status === "waiting_approval") return `session ${this.sessionId} waits for an approval${run}`
    const who = this.owner === null || this.owner.pid === 0 ? "another run" : `process ${this.owner.pid}`
    return `session ${this.sessionId} is being worked on by ${who}${run}`
  }
}

/** The run is not its owner's any more: somebody found the owner gone, and ended it. */
export class ClaimLost extends Schema.TaggedError<ClaimLost>()("ClaimLost", { runId: Schema.String }) {}

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
export type RunChange = Partial<Pick<Run, "steps" | "startsAt" | "usage" | "pending" | "error">>

export interface RunList extends Page.PageRequest {
  readonly sessionId?: string
  readonly status?: RunStatus
}

/** The error of a run whose owner was gone. */
export const interrupted = "interrupted"

export class RunStore extends Context.Service<
  RunStore,
  {
    readonly get: (id: string) => Effect.Effect<Run, RunNotFound | RunStoreError>
    /** The last created first. */
    readonly list: (request?: RunList) => Effect.Effect<Page.Page<Run>, RunStoreError>
    /**
     * Creates the run and takes its session, in one step: of two that try the same, one wins. An open run whose
     * owner is gone ends as `failed`, `interrupted`. Fails with `SessionBusy` when another run of the session is
     * open, and when the id is taken. A run that is worked on and has no claim is nobody's.
     */
    readonly create: (
      run: Omit<Run, "createdAt" | "updatedAt">,
      claim?: Claim
    ) => Effect.Effect<void, SessionBusy | RunStoreError>
    /**
     * From exactly `from` to `to`, in one step: of two processes that try the same, one wins.
     * Fails with `IllegalTransition` when the run is not in `from` or the states forbid it; nothing changes then.
     * Into a state that is worked on it takes a claim, or keeps the one it has; any other state ends the claim.
     */
    readonly transition: (
      id: string,
      from: RunStatus,
      to: RunStatus,
      change?: RunChange,
      claim?: Claim
    ) => Effect.Effect<Run, RunNotFound | IllegalTransition | RunStoreError>
    /** The lease begins anew. */
    readonly renew: (id: string, claim: Claim) => Effect.Effect<void, ClaimLost | RunStoreError>
    /** Ends every run whose owner is gone as `failed`, `interrupted`, and gives their ids. */
    readonly endInterrupted: Effect.Effect<ReadonlyArray<string>, RunStoreError>
    /** Gives the event's sequence number. */
    readonly append: (id: string, event: AgentEvent) => Effect.Effect<number, RunNotFound | RunStoreError>
    /** Those with a greater sequence number, ascending. */
    readonly events: (
      id: string,
      afterSequence: number
    ) => Effect.Effect<ReadonlyArray<StoredEvent>, RunNotFound | RunStoreError>
  }
>()("@cow/core/RunStore") {
  /** In this process only: an owner is gone when its lease has run out. */
  static readonly layerMemory: Layer.Layer<RunStore> = Layer.sync(RunStore, () => {
    interface Entry {
      run: Run
      claim: { readonly owner: RunOwner; readonly until: number } | null
      readonly events: Array<StoredEvent>
    }
    const runs = new Map<string, Entry>()
    const find = (id: string) =>
      Effect.suspend(() => {
        const found = runs.get(id)
        return found === undefined ? Effect.fail(new RunNotFound({ id })) : Effect.succeed(found)
      })
    const now = Effect.clockWith((clock) => clock.currentTimeMillis)
    const claimed = (claim: Claim | undefined, time: number): Entry["claim"] =>
      claim === undefined ? null : { owner: claim.owner, until: time + Duration.toMillis(claim.lease) }
    /** Ends the run if its owner is gone. */
    const ended = (entry: Entry, time: number): boolean => {
      if (!isWorkedOn(entry.run.status) || (entry.claim !== null && entry.claim.until > time)) return false
      entry.run = { ...entry.run, status: "failed", error: interrupted, pending: null, updatedAt: time }
      entry.claim = null
      return true
    }
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
      create: Effect.fnUntraced(function* (run, claim) {
        const time = yield* now
        if (runs.has(run.id))
          return yield* new RunStoreError({ message: `run ${run.id} exists already`, cause: run.id })
        if (!isFinal(run.status))
          for (const entry of runs.values()) {
            const { id, sessionId, status } = entry.run
            if (sessionId !== run.sessionId || isFinal(status) || ended(entry, time)) continue
            return yield* new SessionBusy({
              sessionId,
              runId: id,
              status,
              owner: entry.claim?.owner ?? null
            })
          }
        runs.set(run.id, {
          run: { ...run, createdAt: time, updatedAt: time },
          claim: isWorkedOn(run.status) ? claimed(claim, time) : null,
          events: []
        })
      }),
      transition: Effect.fnUntraced(function* (id, from, to, change = {}, claim) {
        const time = yield* now
        const entry = yield* find(id)
        const status = entry.run.status
        if (status !== from || !canBecome(from, to))
          return yield* new IllegalTransition({ id, from: status, to })
        entry.run = { ...entry.run, ...change, status: to, updatedAt: time }
        entry.claim = isWorkedOn(to) ? (claimed(claim, time) ?? entry.claim) : null
        return entry.run
      }),
      renew: Effect.fnUntraced(function* (id, claim) {
        const time = yield* now
        const entry = runs.get(id)
        if (entry?.claim?.owner.token !== claim.owner.token) return yield* new ClaimLost({ runId: id })
        entry.claim = claimed(claim, time)
      }),
      endInterrupted: Effect.map(now, (time) =>
        [...runs.values()].flatMap((entry) => (ended(entry, time) ? [entry.run.id] : []))
      ),
      append: (id, event) =>
        Effect.map(find(id), ({ events }) => events.push({ sequence: events.length + 1, event })),
      events: (id, after) =>
        Effect.map(find(id), ({ events }) => events.filter(({ sequence }) => sequence > after))
    })
  })
}
