/**
 * How a run ends: whatever ends it (an answer, a failure, a cancel), its end is stored, `run_finished` is its last
 * event, and its history is one that the next run can use.
 */
import { type AgentEvent, Audience, Guest, type Run, RunStore, ToolServers } from "@cow/core"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import type { RunFailure, TurnEnd } from "../step/TurnEnd.ts"
import * as RunCancel from "./RunCancel.ts"
import * as RunClaim from "./RunClaim.ts"
import type { RunScene } from "./RunScene.ts"
import * as SessionWriter from "./SessionWriter.ts"

export interface RunOutcome {
  readonly finished: AgentEvent.AgentEventOf<"run_finished">
  readonly failure: RunFailure | null
}

const statusEvents = Effect.fnUntraced(function* ({ emit, request }: RunScene) {
  const servers = yield* ToolServers
  const tell = () =>
    servers.changes.pipe(
      Stream.filter(({ audience }) => Audience.includes(audience, request.persona)),
      Stream.runForEach(({ error, name, state, toolCount }) =>
        emit({ type: "mcp_status", server: name, status: state, error, tools: toolCount })
      )
    )
  yield* Guest.settle(tell).pipe(
    Effect.tap((outcome) =>
      outcome._tag === "Given"
        ? Effect.void
        : Effect.logWarning(`following MCP servers ${Guest.describe(outcome)}`)
    ),
    Effect.forkScoped({ startImmediately: true })
  )
})

export const toUsage = ({ cachedTokens, inputTokens, outputTokens }: Run.Run["usage"]) => ({
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  cached_tokens: cachedTokens
})

export type RunEnd = TurnEnd | { readonly _tag: "Cancelled" }

const statusOf = {
  Completed: "completed",
  Limit: "limit",
  Waiting: "waiting_approval",
  Failed: "failed",
  Cancelled: "cancelled"
} as const

/** What the run has not stored yet is stored now. A run that has lost its session ends so, whatever else it did. */
const settled = Effect.fnUntraced(function* ({ writer }: RunScene, end: RunEnd) {
  yield* end._tag === "Waiting" ? writer.storeOpenCalls : writer.store
  if (end._tag === "Cancelled" || !(yield* Deferred.isDone(writer.lost))) return end
  return yield* Deferred.await(writer.lost)
})

/** Stores the end of a run and publishes it as the last event. */
export const finish = Effect.fnUntraced(function* (scene: RunScene, given: RunEnd) {
  const { emit, runId, writer } = scene
  const runs = yield* RunStore
  const end = yield* settled(scene, given)
  const lost = yield* Deferred.isDone(writer.lost)
  const ledger = yield* Ref.get(scene.ledger)
  const error = end._tag === "Failed" ? end.message : null
  if (end._tag === "Failed") yield* emit({ type: "error", code: end.failure, message: end.message })
  const pending = end._tag === "Waiting" ? end.pending : null
  const change = { steps: ledger.steps, usage: ledger.usage, error, pending }
  yield* runs.transition(runId, "running", statusOf[end._tag], change).pipe(
    // Who took the session over has ended the run already.
    Effect.catchTag("IllegalTransition", (error) => (lost ? Effect.void : Effect.fail(error))),
    Effect.catchCause((cause) => Effect.logWarning(`the end of run ${runId} was not stored`, cause))
  )
  const finished: AgentEvent.AgentEventOf<"run_finished"> = {
    type: "run_finished",
    run_id: runId,
    status: statusOf[end._tag],
    text: "text" in end ? end.text : "",
    steps: ledger.steps,
    usage: toUsage(ledger.usage),
    error
  }
  yield* emit(finished)
  const outcome: RunOutcome = { finished, failure: end._tag === "Failed" ? end.failure : null }
  return outcome
})

/** The work, for as long as the session is this run's. */
const whileOwned = <R>({ runId, sessionId, writer }: RunScene, work: Effect.Effect<TurnEnd, never, R>) =>
  Effect.gen(function* () {
    yield* RunClaim.keep(runId, Deferred.succeed(writer.lost, SessionWriter.claimLost(sessionId)))
    return yield* Effect.raceFirst(work, Deferred.await(writer.lost))
  })

/**
 * Runs `work` to an end that is published whatever happens; an interruption goes on when that is done. Called where
 * nothing is interrupted; `restore` makes the work interruptible again.
 */
export const toEnd = Effect.fnUntraced(function* <R>(
  scene: RunScene,
  work: Effect.Effect<TurnEnd, never, R>,
  restore: <A, E, R1>(effect: Effect.Effect<A, E, R1>) => Effect.Effect<A, E, R1>
) {
  // Status events stop before the last event.
  const exit = yield* Effect.exit(
    restore(Effect.scoped(Effect.andThen(statusEvents(scene), whileOwned(scene, work))))
  )
  if (Exit.isSuccess(exit)) {
    if (yield* Deferred.isDone(scene.writer.lost)) yield* RunCancel.settle(scene, RunCancel.byLoss)
    return yield* finish(scene, exit.value)
  }
  if (Cause.hasInterrupts(exit.cause)) {
    yield* RunCancel.settle(scene, RunCancel.byUser)
    yield* finish(scene, { _tag: "Cancelled" })
    return yield* Effect.failCause(exit.cause)
  }
  const thrown = Cause.squash(exit.cause)
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  yield* Effect.logError("a run failed by a fault of Cow's own", exit.cause)
  yield* RunCancel.settle(scene, RunCancel.byFault)
  return yield* finish(scene, { _tag: "Failed", failure: "internal", message, text: "" })
})
