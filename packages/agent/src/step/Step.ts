/**
 * One step: one reply of the model, and the calls in it answered. Returns what came of it as a value; what follows
 * is `Turn`'s.
 */
import type { Message, Model, Run } from "@cow/core"
import { Message as Messages } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { GivenAnswer } from "../call/DispatchRequest.ts"
import * as RepetitionGuard from "../call/RepetitionGuard.ts"
import type * as ToolArguments from "../call/ToolArguments.ts"
import * as Inbox from "../run/Inbox.ts"
import * as RunLedger from "../run/RunLedger.ts"
import type { RunScene } from "../run/RunScene.ts"
import * as ModelReply from "./ModelReply.ts"
import * as ServerWait from "./ServerWait.ts"
import * as StepRequest from "./StepRequest.ts"
import * as StreamFold from "./StreamFold.ts"

export type StepOutcome =
  /** Text, no calls. It is the newest message of the session. */
  | { readonly _tag: "Answered"; readonly text: string }
  /** Calls, all answered. */
  | { readonly _tag: "Called" }
  /** Nothing at all came, not even on a second try. */
  | { readonly _tag: "Silent" }
  /** The request was too long for the provider. `tokens`: what it was estimated at. */
  | { readonly _tag: "Overflowed"; readonly tokens: number; readonly message: string }
  | { readonly _tag: "Waiting"; readonly pending: Run.PendingApproval }
  | { readonly _tag: "Repeating"; readonly message: string }
  | { readonly _tag: "Refused"; readonly reason: Model.ModelErrorReason["_tag"]; readonly message: string }

const isRedirected = ({ inbox }: RunScene) => Effect.map(inbox.isEmpty, (empty) => !empty)

/** Takes the steering texts; `steered` is told. Undefined: none. */
export const takeSteer = Effect.fnUntraced(function* ({ emit, inbox }: RunScene) {
  const texts = yield* inbox.takeAll
  if (texts.length === 0) return undefined
  yield* emit({ type: "steered", count: texts.length })
  return Inbox.render(texts)
})

/** Answers the open calls of the ledger, and closes them with their results. */
export const answerCalls = Effect.fnUntraced(function* (
  scene: RunScene,
  step: Pick<StepRequest.StepRequest, "table" | "offered">,
  calls: ReadonlyArray<{ readonly part: Message.ToolCallPart; readonly arguments: ToolArguments.Arguments }>,
  answer?: GivenAnswer
): Effect.fn.Return<StepOutcome, never, StepRequest.Requirements> {
  const { emit, ledger, request, runId, sessionId } = scene
  const { permission, persona, workspace } = request
  const names = calls.map(({ part }) => part.name)
  const table = yield* ServerWait.forCalls(scene, step.table, names)
  const outcome = yield* scene.dispatch({
    context: { runId, sessionId, persona, workspace, permission },
    calls,
    table,
    offered: step.offered,
    ledger,
    emit,
    redirected: isRedirected(scene),
    ...(answer === undefined ? {} : { answer })
  })
  if (outcome._tag === "Waiting") return outcome
  const note = yield* takeSteer(scene)
  yield* Ref.update(ledger, (now) => {
    const closed = RunLedger.closeCalls(now, note)
    const cutOff = calls.some((call) => call.arguments._tag === "CutOff")
    return {
      ...closed,
      toolRounds: closed.toolRounds + 1,
      guard: RepetitionGuard.reply(closed.guard, cutOff)
    }
  })
  yield* scene.writer.save
  if (outcome._tag === "Repeating") return outcome
  const message = RepetitionGuard.afterReply((yield* Ref.get(ledger)).guard)
  return message === undefined ? { _tag: "Called" } : { _tag: "Repeating", message }
})

export const run = Effect.fn("Step.run")(function* (
  scene: RunScene,
  options: StepRequest.StepOptions
): Effect.fn.Return<StepOutcome, never, StepRequest.Requirements> {
  const { emit, ledger, request } = scene
  const step = yield* StepRequest.prepare(scene, options)
  if (options.below !== undefined && step.tokens >= options.below)
    return { _tag: "Overflowed", tokens: step.tokens, message: "nothing more can be left out" }
  if (!options.again) {
    const number = (yield* Ref.updateAndGet(ledger, (now) => ({ ...now, steps: now.steps + 1 }))).steps
    yield* emit({ type: "step_started", step: number, tools: step.offered, selection: step.selection })
  }

  const ask = ModelReply.request({ model: request.model, request: step.request, ledger, emit })
  const twice = Effect.flatMap(ask, (reply) =>
    StreamFold.isEmpty(reply) && request.allowEmptyAnswer !== true ? ask : Effect.succeed(reply)
  )
  const result = yield* Effect.result(twice)
  if (result._tag === "Failure") {
    const { message, reason } = result.failure
    if (reason._tag === "ContextOverflow") return { _tag: "Overflowed", tokens: step.tokens, message }
    return { _tag: "Refused", reason: reason._tag, message }
  }
  const reply = result.success
  if (StreamFold.isEmpty(reply) && request.allowEmptyAnswer !== true) return { _tag: "Silent" }
  if (reply.calls.length === 0 || !options.mayCallTools) {
    // Calls of a last answer are not run, so they are not kept either.
    const text = reply.text
    if (text.trim() === "" && request.allowEmptyAnswer !== true) return { _tag: "Silent" }
    const parts = reply.message.parts.filter((part) => part.type !== "tool_call")
    if (parts.length > 0) {
      yield* Ref.update(ledger, (now) => RunLedger.append(now, { role: "assistant", parts }))
      yield* scene.writer.save
    }
    return { _tag: "Answered", text }
  }
  yield* Ref.update(ledger, (now) => RunLedger.openCalls(now, reply.message))
  yield* scene.writer.save
  return yield* answerCalls(scene, step, reply.calls)
})

/** The words with which a run ends that has no answer of its own. */
export const say = Effect.fnUntraced(function* (scene: RunScene, text: string) {
  yield* Ref.update(scene.ledger, (now) => RunLedger.append(now, Messages.assistantText(text)))
  yield* scene.writer.save
})
