/**
 * Asks a person about one call, and makes it when the answer is yes and still holds: the tool, the grant and the
 * definition are looked at again after the answer. A definition that changed meanwhile is a new question.
 */
import { Approver, Guest, Run, ToolManager, ToolResult } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as CallPlan from "./CallPlan.ts"
import type * as CallRun from "./CallRun.ts"
import type { Call, DispatchRequest, GivenAnswer } from "./DispatchRequest.ts"
import * as ToolDigest from "./ToolDigest.ts"

export type ApprovalOutcome =
  | { readonly _tag: "Answered"; readonly answered: CallRun.Answered }
  | { readonly _tag: "Waiting"; readonly pending: Run.PendingApproval }

type Question = Pick<Extract<CallPlan.Plan, { readonly _tag: "Ask" }>, "registered" | "reason">

const isAnswer = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "_tag" in value &&
  (value._tag === "Approved" || value._tag === "Refused" || value._tag === "Unattended")

const givenTo = ({ answer }: DispatchRequest, { part }: Call): GivenAnswer | undefined =>
  answer !== undefined && answer.pending.worker === undefined && answer.pending.callId === part.id
    ? answer
    : undefined

const gone = ({ server }: { readonly server: string }): CallPlan.Plan => ({
  _tag: "Answer",
  result: ToolResult.denied(
    server === "" ? "not_registered" : "server_not_ready",
    "the tool was there when it was asked for, and is gone now"
  ),
  counts: "not"
})

/** The plan for a call that a person has answered: a refusal is final, a consent is looked at again. */
export const withAnswer = (request: DispatchRequest, call: Call, plan: CallPlan.Plan): CallPlan.Plan => {
  const given = givenTo(request, call)
  if (given === undefined) return plan
  if (!given.approved) return { _tag: "Answer", result: ToolResult.denied("denied_by_person"), counts: "not" }
  const registered = request.table.byName.get(call.part.name)
  if (registered === undefined) return gone(given.pending)
  return plan._tag === "Run" ? { _tag: "Ask", registered, reason: given.pending.reason } : plan
}

export const make = Effect.fnUntraced(function* (
  plan: Effect.Success<typeof CallPlan.make>["plan"],
  { answer, execute }: Pick<ReturnType<typeof CallRun.make>, "answer" | "execute">
) {
  const approver = yield* Approver
  const manager = yield* ToolManager

  const ask = Effect.fnUntraced(function* (
    { context: { runId }, emit }: DispatchRequest,
    pending: Run.PendingApproval
  ) {
    const call_id = pending.callId
    yield* emit({ type: "approval_requested", run_id: runId, call_id, ...Run.shownOf(pending) })
    const outcome = yield* Guest.settle(() => approver.ask(runId, pending))
    if (outcome._tag === "Given" && isAnswer(outcome.value)) return outcome.value
    // Nobody was asked then: the run waits, and any process can answer.
    const why = outcome._tag === "Given" ? "gave no answer" : Guest.describe(outcome)
    yield* Effect.logWarning(`the approver ${why}; the call waits`)
    return { _tag: "Unattended" } as const
  })

  /** What is to be done now that the answer is yes: the table may be another one than the question's. */
  const again = Effect.fnUntraced(function* (request: DispatchRequest, call: Call, server: string) {
    const table = yield* manager.snapshot
    const registered = table.byName.get(call.part.name)
    if (registered === undefined) return { planned: gone({ server }), registered }
    return { planned: yield* plan({ ...request, table }, call), registered }
  })

  return Effect.fn("CallApproval.ask")(function* (
    request: DispatchRequest,
    call: Call,
    first: Question
  ): Effect.fn.Return<ApprovalOutcome> {
    const { part } = call
    const startedAt = yield* Clock.currentTimeMillis
    let question = first
    let given = givenTo(request, call)
    for (;;) {
      const { tool } = question.registered
      const definition = yield* ToolDigest.make(tool)
      const { server } = tool.spec
      const { name, input, id } = part
      const pending = { callId: id, tool: name, server, input, reason: question.reason, definition }
      const stale = given?.pending.definition !== undefined && given.pending.definition !== definition
      const reply =
        given === undefined || stale ? yield* ask(request, pending) : ({ _tag: "Approved" } as const)
      given = undefined
      if (reply._tag === "Unattended") return { _tag: "Waiting", pending }
      if (reply._tag === "Refused") {
        const denied = ToolResult.denied("denied_by_person", reply.reason)
        return { _tag: "Answered", answered: yield* answer(request, call, denied, startedAt, "not") }
      }
      const { planned, registered } = yield* again(request, call, server)
      if (planned._tag === "Answer") {
        const { counts, result } = planned
        return { _tag: "Answered", answered: yield* answer(request, call, result, startedAt, counts) }
      }
      if (registered === undefined || planned._tag === "End") {
        const ended = ToolResult.failed("skipped: the run ends")
        return { _tag: "Answered", answered: yield* answer(request, call, ended, startedAt, "not") }
      }
      if ((yield* ToolDigest.make(registered.tool)) === definition)
        return { _tag: "Answered", answered: yield* execute(request, call, registered.tool) }
      const reason =
        planned._tag === "Ask" ? planned.reason : "its definition has changed since it was asked for"
      question = { registered, reason }
    }
  })
})
