/**
 * How a run ends: whatever ends it (an answer, a failure, a cancel), its end is stored, `run_finished` is its last
 * event, and its history is one that the next run can use.
 */
import { type AgentEvent, Audience, Guest, type Run, RunStore, SessionStore, ToolServers } from "@cow/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import type * as Turn from "../step/Turn.ts"
import * as RunCancel from "./RunCancel.ts"
import * as RunLedger from "./RunLedger.ts"
import type { RunScene } from "./RunScene.ts"

export interface RunOutcome {
  readonly finished: AgentEvent.AgentEventOf<"run_finished">
  readonly failure: Turn.RunFailure | null
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

export type RunEnd = Turn.TurnEnd | { readonly _tag: "Cancelled" }

const statusOf = {
  Completed: "completed",
  Limit: "limit",
  Waiting: "waiting_approval",
  Failed: "failed",
  Cancelled: "cancelled"
} as const

/** Stores the end of a run and publishes it as the last event. */
export const finish = Effect.fnUntraced(function* (scene: RunScene, end: RunEnd) {
  const { emit, runId } = scene
  const runs = yield* RunStore
  const ledger = yield* Ref.get(scene.ledger)
  const error = end._tag === "Failed" ? end.message : null
  if (end._tag === "Failed") yield* emit({ type: "error", code: end.failure, message: end.message })
  if (end._tag === "Waiting") yield* saveOpenCalls(scene)
  const pending = end._tag === "Waiting" ? end.pending : null
  const change = { steps: ledger.steps, usage: ledger.usage, error, pending }
  yield* runs
    .transition(runId, "running", statusOf[end._tag], change)
    .pipe(Effect.catchCause((cause) => Effect.logWarning(`the end of run ${runId} was not stored`, cause)))
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

/** A waiting run keeps the answers it has: `RunResume` takes them up. */
const saveOpenCalls = Effect.fnUntraced(function* ({ ledger, sessionId }: RunScene) {
  const sessions = yield* SessionStore
  const now = yield* Ref.get(ledger)
  const parts = RunLedger.partsSoFar(now)
  if (parts.length === 0) return
  yield* sessions
    .write(sessionId, now.messages.length, [{ role: "user", parts }])
    .pipe(Effect.catchCause((cause) => Effect.logWarning(`session ${sessionId} was not stored`, cause)))
})

/** Runs `work` to an end that is published whatever happens; an interruption goes on when that is done. */
export const toEnd = <R>(scene: RunScene, work: Effect.Effect<Turn.TurnEnd, never, R>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      // Status events stop before the last event.
      const exit = yield* Effect.exit(restore(Effect.scoped(Effect.andThen(statusEvents(scene), work))))
      if (Exit.isSuccess(exit)) return yield* finish(scene, exit.value)
      if (Cause.hasInterrupts(exit.cause)) {
        yield* RunCancel.settle(scene)
        yield* finish(scene, { _tag: "Cancelled" })
        return yield* Effect.failCause(exit.cause)
      }
      const thrown = Cause.squash(exit.cause)
      const message = thrown instanceof Error ? thrown.message : String(thrown)
      yield* Effect.logError("a run failed by a fault of Cow's own", exit.cause)
      yield* RunCancel.settle(scene)
      return yield* finish(scene, { _tag: "Failed", failure: "internal", message, text: "" })
    })
  )
