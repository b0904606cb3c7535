/**
 * One reply of a model: sends the request, tells listeners the deltas, tries again as `RetryPolicy` says, and gives
 * the folded reply. What was streamed by a failed attempt is void; `retry_scheduled` says so.
 */
import { type AgentEvent, Guest, type Model, ModelError, Model as Models } from "@cow/core"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as AgentLimits from "../AgentLimits.ts"
import * as RunLedger from "../run/RunLedger.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as StreamFold from "./StreamFold.ts"

export interface ReplyRequest {
  readonly model: Model.Model
  readonly request: Model.ModelRequest
  readonly ledger: Ref.Ref<RunLedger.RunLedger>
  readonly emit: (event: AgentEvent.AgentEvent) => Effect.Effect<void>
}

/** A provider's code that interrupts itself is a connection that broke, not a cancel of the run. */
const brokeOff = () =>
  new ModelError({ reason: new Models.Transport(), message: "the model's stream was interrupted" })

const endedEarly = () =>
  new ModelError({
    reason: new Models.Transport(),
    message: "the model's stream ended early, without a finish reason"
  })

/** One attempt. The draft in the ledger follows the stream, so that a cancel finds the text so far. */
const attempt = Effect.fnUntraced(function* ({ emit, ledger, model, request }: ReplyRequest) {
  const draft = (state: StreamFold.FoldState | null) =>
    Ref.update(ledger, (now) => ({ ...now, draft: state }))
  let state = StreamFold.initial
  yield* draft(state)
  const stream = () =>
    model.stream(request).pipe(
      // What follows the finish is not waited for: the socket may stay open.
      Stream.takeUntil((event) => event._tag === "Finish"),
      Stream.runForEach((event) => {
        const [next, deltas] = StreamFold.step(state, event)
        state = next
        return Effect.andThen(draft(next), Effect.forEach(deltas, emit, { discard: true }))
      })
    )
  const consume = Effect.gen(function* () {
    const outcome = yield* Guest.settle(() => stream())
    if (outcome._tag === "Broke") return yield* Effect.failCause(outcome.cause as Cause.Cause<ModelError>)
    if (outcome._tag !== "Given") return yield* brokeOff()
  })
  const settle = Effect.suspend(() =>
    Ref.update(ledger, (now) => RunLedger.addUsage({ ...now, draft: null }, StreamFold.usageOf(state)))
  )
  yield* Effect.tapError(consume, () => settle)
  yield* settle
  const reply = StreamFold.reply(state, RunLedger.callIds(yield* Ref.get(ledger)))
  return reply ?? (yield* endedEarly())
})

/** Fails with what the last attempt failed with; a wait that is too long is named in its message. */
export const request = Effect.fn("ModelReply.request")(function* (given: ReplyRequest) {
  const maxWaitSeconds = yield* AgentLimits.maxRetryWaitSeconds
  for (let tries = 1; ; tries++) {
    const result = yield* Effect.result(attempt(given))
    if (result._tag === "Success") return result.success
    const error = result.failure
    const decision = RetryPolicy.decide(error, tries, maxWaitSeconds)
    if (decision._tag === "GiveUp") return yield* new ModelError({ ...error, message: decision.message })
    yield* given.emit({
      type: "retry_scheduled",
      attempt: tries,
      delay_ms: decision.delayMillis,
      reason: decision.reason
    })
    yield* Effect.sleep(decision.delayMillis)
  }
})
