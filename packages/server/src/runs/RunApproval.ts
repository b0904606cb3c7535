/**
 * Answering the call a run waits for, and ending a run. An answer is taken once: of two at the same time one gets
 * 409, in this process by `ActiveRuns`, across processes by the run's state in the store.
 */
import { Agent, type ResumeAnswer } from "@cow/agent"
import { Run, RunStore } from "@cow/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as HttpFailure from "../failure/HttpFailure.ts"
import { internalFailure } from "../failure/InternalFailure.ts"
import { ActiveRuns } from "./ActiveRuns.ts"
import type { ApprovalBody } from "./RunsGroup.ts"

const notWaiting = (run: Run.Run) =>
  HttpFailure.invalidApproval(`run ${run.id} waits for no approval: it is ${run.status}`)

export const make = Effect.gen(function* () {
  const active = yield* ActiveRuns
  const agent = yield* Agent
  const runs = yield* RunStore

  /** Starts the rest of the run and gives its fiber. */
  const goOn = Effect.fnUntraced(function* (run: Run.Run, answer: ResumeAnswer) {
    // No step between the question and the claim, so that the second of two answers finds the first.
    if (active.has(run.id)) return yield* notWaiting(run)
    return yield* active.launch(agent.resume(run.id, answer), () => Effect.void, run.id)
  })

  const toFailure = (
    run: Run.Run,
    cause: Cause.Cause<{ readonly _tag: string; readonly message: string }>
  ) => {
    const failure = cause.reasons.find(Cause.isFailReason)?.error
    switch (failure?._tag) {
      case "NotWaiting":
        return Effect.fail(notWaiting(run))
      case "SessionBusy":
        return Effect.fail(HttpFailure.sessionBusy(failure.message))
      case "ModelNotFound":
        return Effect.fail(HttpFailure.invalidApproval(`run ${run.id} cannot go on: ${failure.message}`))
      case "RunNotFound":
        return Effect.fail(HttpFailure.runNotFound(run.id))
      default:
        return internalFailure(cause)
    }
  }

  const answer = Effect.fn("RunApproval.answer")(function* (run: Run.Run, body: typeof ApprovalBody.Type) {
    if (run.status !== "waiting_approval") return yield* notWaiting(run)
    if (body.call_id !== undefined && body.call_id !== run.pending?.callId)
      return yield* HttpFailure.invalidApproval(
        `run ${run.id} waits for call ${run.pending?.callId}, not ${body.call_id}`
      )
    const fiber = yield* goOn(run, body.approved ? { _tag: "Approved" } : { _tag: "Refused", end: false })
    // Taken as soon as the run has left `waiting_approval`, or waits for its next call; its end may be long after.
    const isTaken = Effect.map(
      runs.get(run.id),
      (now) => now.status !== "waiting_approval" || now.pending?.callId !== run.pending?.callId
    )
    const taken = isTaken.pipe(
      Effect.repeat({ until: (yes) => yes, schedule: Schedule.spaced("10 millis") }),
      Effect.exit
    )
    const exit: Exit.Exit<unknown, { readonly _tag: string; readonly message: string }> =
      yield* Effect.raceFirst(Fiber.await(fiber), taken)
    if (Exit.isFailure(exit)) yield* toFailure(run, exit.cause)
  })

  const mustBeOpen = (run: Run.Run) =>
    Run.isFinal(run.status)
      ? Effect.fail(HttpFailure.runTerminal(`run ${run.id} is ${run.status} already`))
      : Effect.void

  const cancel = Effect.fn("RunApproval.cancel")(function* (run: Run.Run) {
    if (run.status === "cancelled") return
    yield* mustBeOpen(run)
    if (yield* active.cancel(run.id)) return
    if (run.status !== "waiting_approval")
      return yield* HttpFailure.runNotActive(`run ${run.id} is worked on by another process`)
    const exit = yield* Fiber.await(yield* goOn(run, { _tag: "Cancelled" }))
    if (Exit.isFailure(exit)) yield* toFailure(run, exit.cause)
  })

  return { answer, cancel, mustBeOpen }
})
