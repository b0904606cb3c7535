/**
 * Answers the calls of one reply: resolve → validate → decide → run → bound → answer, each call exactly once.
 *
 * Calls that are safe beside each other run together, all others alone, in the model's order. Calls that need a
 * person are asked for one after the other when the rest is done. Answers go into the run's ledger as they come, so
 * a cancel finds those that are there.
 */
import { type Run, ToolResult, type ToolTable } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as AgentLimits from "../AgentLimits.ts"
import * as RunLedger from "../run/RunLedger.ts"
import * as CallApproval from "./CallApproval.ts"
import * as CallPlan from "./CallPlan.ts"
import * as CallRun from "./CallRun.ts"
import type { Call, Dispatch, DispatchOutcome, DispatchRequest } from "./DispatchRequest.ts"
import type { BoundResult } from "./ResultBound.ts"

/** Works off a call that is a worker's; gives its result, or the worker's own call that waits for a person. */
export type Delegate = (
  request: DispatchRequest,
  call: Call
) => Effect.Effect<
  ToolResult.ToolResult | { readonly _tag: "Waiting"; readonly pending: Run.PendingApproval }
>

export const make = (bound: BoundResult, delegate: Delegate) =>
  Effect.gen(function* () {
    const { plan } = yield* CallPlan.make
    const { announce, answer, execute, skip } = CallRun.make(bound)
    const approval = yield* CallApproval.make(plan, { answer, execute })

    /** Works off what needs no person; gives what is left to do. */
    const begin = Effect.fnUntraced(function* (request: DispatchRequest, call: Call) {
      const startedAt = yield* Clock.currentTimeMillis
      yield* announce(request, call)
      const planned = CallApproval.withAnswer(request, call, yield* plan(request, call))
      if (planned._tag === "Run" && planned.tool.role === "delegate") {
        yield* Ref.update(request.ledger, (now) => RunLedger.begin(now, call.part.id, startedAt))
        const came = yield* delegate(request, call)
        if (came._tag === "Waiting") return { call, planned: came }
        return { call, answered: yield* answer(request, call, came, startedAt, "run") }
      }
      if (planned._tag === "Run") return { call, answered: yield* execute(request, call, planned.tool) }
      if (planned._tag === "Answer")
        return { call, answered: yield* answer(request, call, planned.result, startedAt, planned.counts) }
      return { call, planned }
    })

    const dispatch: Dispatch = Effect.fn("ToolDispatcher.dispatch")(function* (request: DispatchRequest) {
      const asks: Array<{
        readonly call: Call
        readonly registered: ToolTable.RegisteredTool
        readonly reason: string
      }> = []
      const ledger = yield* Ref.get(request.ledger)
      const todo = request.calls.filter(({ part }) => !RunLedger.isAnswered(ledger, part.id))
      const concurrency = yield* AgentLimits.maxParallelCalls
      let ended: string | undefined
      let waiting: Extract<DispatchOutcome, { readonly _tag: "Waiting" }> | undefined
      for (const group of groups(todo, request.table)) {
        if (ended !== undefined || (yield* request.redirected)) {
          const why = ended === undefined ? "skipped: the user redirected" : "skipped: the run ends"
          for (const call of group) yield* skip(request, call, ToolResult.failed(why))
          continue
        }
        const done = yield* Effect.forEach(group, (call) => begin(request, call), { concurrency })
        yield* CallRun.count(
          request,
          done.flatMap(({ answered }) => answered ?? [])
        )
        for (const { call, planned } of done) {
          if (planned === undefined) continue
          if (planned._tag === "Waiting") waiting ??= planned
          if (planned._tag === "Ask") asks.push({ call, ...planned })
          if (planned._tag === "End") {
            ended = planned.message
            yield* skip(request, call, ToolResult.failed(`Not run: ${planned.message}.`))
          }
        }
      }
      if (waiting !== undefined) return waiting
      for (const { call, reason, registered } of asks) {
        if (ended !== undefined) {
          yield* skip(request, call, ToolResult.failed("skipped: the run ends"))
          continue
        }
        const outcome = yield* approval(request, call, { registered, reason })
        if (outcome._tag === "Waiting") return outcome
        yield* CallRun.count(request, [outcome.answered])
      }
      return ended === undefined ? { _tag: "Answered" } : { _tag: "Repeating", message: ended }
    })
    return dispatch
  })

/** Neighbours that may run together stand together; all others alone. */
const groups = (
  calls: ReadonlyArray<Call>,
  table: ToolTable.ToolTable
): ReadonlyArray<ReadonlyArray<Call>> => {
  const out: Array<{ readonly safe: boolean; readonly calls: Array<Call> }> = []
  for (const call of calls) {
    const safe = table.byName.get(call.part.name)?.tool.parallelSafe ?? true
    const last = out.at(-1)
    if (safe && last?.safe) last.calls.push(call)
    else out.push({ safe, calls: [call] })
  }
  return out.map((group) => group.calls)
}
