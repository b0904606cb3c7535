/**
 * Goes on with a run that waits for approval: the very call is answered, then the others that are open, then the
 * run to its end. Everything it needs is in the store, so any process can do it.
 */

import type { RunStoreError, SessionNotFound, SessionStoreError } from "@cow/core"
import {
  type Model,
  type ModelNotFound,
  Models,
  type Run,
  type RunNotFound,
  RunStore,
  SessionStore,
  ToolResult
} from "@cow/core"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as RunTools from "../step/RunTools.ts"
import * as Step from "../step/Step.ts"
import * as Turn from "../step/Turn.ts"
import type { TurnEnd } from "../step/TurnEnd.ts"
import { type ActiveRun, makeScene, type Requirements } from "./ActiveRun.ts"
import * as RunCancel from "./RunCancel.ts"
import * as RunClaim from "./RunClaim.ts"
import * as RunEnd from "./RunEnd.ts"
import { NotWaiting } from "./RunErrors.ts"
import * as RunLedger from "./RunLedger.ts"
import type { RunScene } from "./RunScene.ts"
import * as SessionWriter from "./SessionWriter.ts"

/**
 * `Refused` with `end`: the run ends `cancelled` with the call refused; else it goes on with the refusal.
 * `Cancelled`: nobody answered; the run ends `cancelled`, and so does the call.
 */
export type ResumeAnswer =
  | { readonly _tag: "Approved" }
  | { readonly _tag: "Refused"; readonly end: boolean }
  | { readonly _tag: "Cancelled" }

/** A run without a model is a single call: it ends with the result. */
export const noModel = ""

const nobody: Model.Model = {
  id: noModel,
  takesImages: false,
  stream: () => Stream.die(new Error("a run that has no model asked for a reply"))
}

/** Ends the run: nothing is sent to a model any more. */
export const isEnd = (answer: ResumeAnswer): boolean =>
  answer._tag === "Cancelled" || (answer._tag === "Refused" && answer.end)

/** The run's model, where it is needed: a run whose model is gone can still be refused. */
const modelOf = (id: string, answer: ResumeAnswer) =>
  id === noModel || isEnd(answer)
    ? Effect.succeed(nobody)
    : Effect.flatMap(Models, (models) => models.get(id))

const refuse = Effect.fnUntraced(function* ({ emit, ledger }: RunScene, pending: Run.PendingApproval) {
  const result = ToolResult.denied("denied_by_person")
  const { open } = yield* Ref.get(ledger)
  // A worker's call is refused in the worker's run; here the call that it works for is.
  const callId = pending.worker?.callId ?? pending.callId
  const name = open?.calls.find(({ id }) => id === callId)?.name ?? pending.tool
  yield* Ref.update(ledger, (now) =>
    RunLedger.answer(now, {
      type: "tool_result",
      callId,
      name,
      status: "denied",
      content: result.content
    })
  )
  yield* emit({
    type: "tool_finished",
    call_id: callId,
    tool: name,
    status: "denied",
    duration_ms: 0,
    content: ToolResult.textOf(result)
  })
})

const lastResult = Effect.fnUntraced(function* ({ ledger }: RunScene) {
  const last = (yield* Ref.get(ledger)).messages.at(-1)
  const [result] = last?.role === "user" ? last.parts.filter((part) => part.type === "tool_result") : []
  return (result?.content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
})

/** The run in this process's hands, its session as it stands then, and the call it waited for. */
const takeUp = Effect.fnUntraced(function* ({ id, sessionId }: Run.Run) {
  const runs = yield* RunStore
  // Of two that answer at the same time the store lets one through.
  const claim = yield* RunClaim.make
  const waiting = yield* runs.get(id)
  const stored = yield* runs
    .transition(id, "waiting_approval", "running", { pending: null }, claim)
    .pipe(
      Effect.catchTag("IllegalTransition", ({ from }) =>
        Effect.fail(new NotWaiting({ runId: id, status: from }))
      )
    )
  const state = yield* SessionWriter.takeOver(sessionId).pipe(
    Effect.tapError(({ message }) =>
      Effect.ignore(runs.transition(id, "running", "failed", { error: message }))
    )
  )
  const { steps, usage } = stored
  const ledger: RunLedger.RunLedger = {
    ...RunLedger.reopen(RunLedger.make(state, state.messages.length)),
    steps,
    toolRounds: Math.max(0, steps - 1),
    usage
  }
  return { stored, ledger, pending: waiting.pending }
})

export const resume = Effect.fn("RunResume.resume")(function* (
  active: ActiveRun,
  run: Run.Run,
  answer: ResumeAnswer
): Effect.fn.Return<
  RunEnd.RunOutcome,
  RunNotFound | NotWaiting | ModelNotFound | SessionNotFound | SessionStoreError | RunStoreError,
  Requirements
> {
  const { id } = run
  const model = yield* modelOf(run.model, answer)
  // One without its session cannot go on; it is left as it is.
  yield* (yield* SessionStore).get(active.sessionId)
  // From the claim on the run comes to an end whatever happens.
  return yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { ledger, pending, stored } = yield* takeUp(run)
      const { maxSteps, parent, permission, persona, restricted, workspace } = stored
      const asked = { model, persona, permission, workspace, maxSteps, restricted }
      const request = parent === null ? asked : { ...asked, parent }
      const scene = yield* makeScene(active, id, request, ledger)
      if (pending === null || isEnd(answer)) {
        if (pending !== null && answer._tag === "Refused") yield* refuse(scene, pending)
        yield* RunCancel.settle(scene, RunCancel.byUser)
        return yield* RunEnd.finish(scene, { _tag: "Cancelled" })
      }
      return yield* RunEnd.toEnd(scene, goOn(scene, stored, pending, answer), restore)
    })
  )
})

const goOn = Effect.fnUntraced(function* (
  scene: RunScene,
  { model }: Run.Run,
  pending: Run.PendingApproval,
  answer: ResumeAnswer
) {
  const { open } = yield* Ref.get(scene.ledger)
  const table = yield* RunTools.table(scene)
  const calls = (open?.calls ?? []).map((part) => ({
    part,
    arguments: { _tag: "Read", input: part.input } as const
  }))
  const step = { table, offered: table.tools.map(({ tool }) => tool.name) }
  const given = { pending, approved: answer._tag === "Approved" }
  const first = yield* Step.answerCalls(scene, step, calls, given)
  if (model !== noModel || first._tag === "Waiting") return yield* Turn.run(scene, first)
  return { _tag: "Completed", text: yield* lastResult(scene) } satisfies TurnEnd
})
