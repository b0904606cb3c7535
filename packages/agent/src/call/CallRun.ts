/**
 * One call of a reply made and answered: its tool runs inside its limit, its result is bounded and goes into the
 * run's ledger, and its two events are published. Whether it runs at all is `CallPlan`; which runs when, the
 * dispatcher's.
 */
import { Excerpt, Guest, type Message, type Tool, ToolResult, ToolSpec } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as AgentLimits from "../AgentLimits.ts"
import * as RunLedger from "../run/RunLedger.ts"
import type * as CallPlan from "./CallPlan.ts"
import type { Call, DispatchRequest } from "./DispatchRequest.ts"
import * as RepetitionGuard from "./RepetitionGuard.ts"
import type { BoundResult } from "./ResultBound.ts"
import * as ToolFault from "./ToolFault.ts"
import * as ToolShape from "./ToolShape.ts"

/** A call that has its answer, and how it counts for the guard. */
export interface Answered {
  readonly call: Call
  readonly result: ToolResult.ToolResult
  readonly counts: CallPlan.Counts
}

/** Counts the answers, in the order in which they are given: the model's, not that of their ends. */
export const count = ({ ledger }: DispatchRequest, answers: ReadonlyArray<Answered>) =>
  Ref.update(ledger, (now) => ({
    ...now,
    guard: answers.reduce(
      (guard, { call: { part }, counts, result }) =>
        counts === "not"
          ? guard
          : RepetitionGuard.record(guard, part.name, part.input, result, counts === "refused"),
      now.guard
    )
  }))

/** The tool's own limit, or that of its kind. */
const limitOf = Effect.fnUntraced(function* ({ spec, timeout }: Tool.Tool) {
  if (Duration.isDuration(timeout)) return timeout
  const seconds = ToolSpec.isReadOnly(spec)
    ? yield* AgentLimits.readToolSeconds
    : yield* AgentLimits.writeToolSeconds
  return Duration.seconds(seconds)
})

export const make = (bound: BoundResult) => {
  /** Whatever the tool does, the call ends with one result; only a cancel of the run ends more than that. */
  const run = Effect.fnUntraced(function* (
    tool: Tool.Tool,
    input: Message.JsonObject,
    context: Tool.ToolContext
  ) {
    const limit = yield* limitOf(tool)
    // The input is part of the history: a tool gets its own.
    const outcome = yield* Guest.settle(
      () => tool.run(structuredClone(input), context),
      Duration.isFinite(limit) ? limit : undefined
    )
    switch (outcome._tag) {
      case "Given":
        return ToolShape.read(tool.name, outcome.value)
      case "Broke":
        return ToolFault.crashed(tool, outcome.message)
      case "Interrupted":
        return ToolFault.interrupted(tool)
      case "Late":
        return ToolFault.timedOut(tool, limit)
    }
  })

  const announce = Effect.fnUntraced(function* ({ emit, ledger, table }: DispatchRequest, { part }: Call) {
    if ((yield* Ref.get(ledger)).open?.announced.has(part.id)) return
    yield* Ref.update(ledger, (now) => RunLedger.announce(now, part.id))
    const server = table.byName.get(part.name)?.tool.spec.server ?? ""
    yield* emit({ type: "tool_called", call_id: part.id, tool: part.name, server, input: part.input })
  })

  const answer = Effect.fnUntraced(function* (
    { context, emit, ledger, observe }: DispatchRequest,
    call: Call,
    result: ToolResult.ToolResult,
    startedAt: number,
    counts: CallPlan.Counts
  ) {
    const { part } = call
    if (observe !== undefined) yield* observe(part.id, result)
    const bounded = yield* bound({ runId: context.runId, call: part, result })
    yield* Ref.update(ledger, (now) => RunLedger.answer(now, bounded))
    const shown =
      result._tag === "Ok" && result.display !== undefined ? result.display : ToolResult.textOf(result)
    yield* emit({
      type: "tool_finished",
      call_id: part.id,
      tool: part.name,
      status: bounded.status,
      duration_ms: Math.round((yield* Clock.currentTimeMillis) - startedAt),
      content: Excerpt.head(Excerpt.wellFormed(shown), yield* AgentLimits.maxEventChars)
    })
    return { call, result, counts } satisfies Answered
  })

  const execute = Effect.fnUntraced(function* (request: DispatchRequest, call: Call, tool: Tool.Tool) {
    const startedAt = yield* Clock.currentTimeMillis
    const context = { ...request.context, callId: call.part.id }
    yield* Ref.update(request.ledger, (now) => RunLedger.begin(now, call.part.id, startedAt))
    const result = yield* run(tool, call.part.input, context)
    return yield* answer(request, call, result, startedAt, "run")
  })

  const skip = Effect.fnUntraced(function* (
    request: DispatchRequest,
    call: Call,
    result: ToolResult.ToolResult
  ) {
    if (RunLedger.isAnswered(yield* Ref.get(request.ledger), call.part.id)) return
    yield* announce(request, call)
    yield* answer(request, call, result, yield* Clock.currentTimeMillis, "not")
  })

  return { announce, answer, execute, skip }
}
