/**
 * Answers the calls of one reply: resolve → validate → decide → run → bound → answer, each call exactly once.
 *
 * Calls that are safe beside each other run together, all others alone, in the model's order. Calls that need a
 * person are asked for one after the other when the rest is done. Answers go into the run's ledger as they come, so
 * a cancel finds those that are there.
 */
import {
  type AgentEvent,
  Approver,
  Excerpt,
  type Message,
  type Run,
  type Tool,
  ToolResult,
  type ToolTable
} from "@cow/core"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as AgentLimits from "./AgentLimits.ts"
import * as CallPlan from "./CallPlan.ts"
import * as RepetitionGuard from "./RepetitionGuard.ts"
import type { BoundResult } from "./ResultBound.ts"
import * as RunLedger from "./RunLedger.ts"
import type * as ToolArguments from "./ToolArguments.ts"
import * as ToolFault from "./ToolFault.ts"

export interface DispatchRequest {
  readonly context: Omit<Tool.ToolContext, "callId">
  /** Calls and what their arguments read as; answered ones are passed over. */
  readonly calls: ReadonlyArray<{
    readonly part: Message.ToolCallPart
    readonly arguments: ToolArguments.Arguments
  }>
  /** The table of this step: calls are resolved against it, by name. */
  readonly table: ToolTable.ToolTable
  /** Names that this step sent. */
  readonly offered: ReadonlyArray<string>
  readonly ledger: Ref.Ref<RunLedger.RunLedger>
  readonly emit: (event: AgentEvent.AgentEvent) => Effect.Effect<void>
  /** True: the user said something else meanwhile; what has not begun is skipped. */
  readonly redirected: Effect.Effect<boolean>
  /** Told each result as the tool gave it, before it is bounded. */
  readonly observe?: (callId: string, result: ToolResult.ToolResult) => Effect.Effect<void>
  /** The answer a person has given already, to one call. */
  readonly answer?: { readonly callId: string; readonly approved: boolean }
}

export type DispatchOutcome =
  /** Every call has its answer in the ledger. */
  | { readonly _tag: "Answered" }
  /** This call waits for a person, and those after it that need one. */
  | { readonly _tag: "Waiting"; readonly pending: Run.PendingApproval }
  /** Every call has its answer, and the run ends: the model only repeats itself. */
  | { readonly _tag: "Repeating"; readonly message: string }

type Call = DispatchRequest["calls"][number]

export type Dispatch = (request: DispatchRequest) => Effect.Effect<DispatchOutcome>

export const make = (bound: BoundResult) =>
  Effect.gen(function* () {
    const { decide, plan } = yield* CallPlan.make
    const approver = yield* Approver

    const run = (tool: Tool.Tool, input: Message.JsonObject, context: Tool.ToolContext) => {
      const limited =
        tool.timeout === undefined
          ? tool.run(input, context)
          : Effect.timeoutOrElse(tool.run(input, context), {
              duration: tool.timeout,
              orElse: () => Effect.succeed(ToolFault.timedOut(tool))
            })
      return Effect.suspend(() => limited).pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterrupts(cause)
            ? Effect.failCause(cause)
            : Effect.succeed(ToolFault.crashed(tool, cause))
        )
      )
    }

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
      counted: boolean | "refused"
    ) {
      const { part } = call
      if (observe !== undefined) yield* observe(part.id, result)
      const bounded = yield* bound({ runId: context.runId, call: part, result })
      yield* Ref.update(ledger, (now) => {
        const guard = counted
          ? RepetitionGuard.record(now.guard, part.name, part.input, result, counted === "refused")
          : now.guard
        return { ...RunLedger.answer(now, bounded), guard }
      })
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
    })

    const execute = Effect.fnUntraced(function* (request: DispatchRequest, call: Call, tool: Tool.Tool) {
      const startedAt = yield* Clock.currentTimeMillis
      const context = { ...request.context, callId: call.part.id }
      const result = yield* run(tool, call.part.input, context)
      yield* answer(request, call, result, startedAt, true)
    })

    /** Works off what needs no person; gives what is left to do. */
    const begin = Effect.fnUntraced(function* (request: DispatchRequest, call: Call) {
      const startedAt = yield* Clock.currentTimeMillis
      yield* announce(request, call)
      const planned = yield* plan(request, call)
      if (planned._tag === "Run") yield* execute(request, call, planned.tool)
      if (planned._tag === "Answer")
        yield* answer(request, call, planned.result, startedAt, planned.counted && "refused")
      return { call, planned }
    })

    const skip = Effect.fnUntraced(function* (
      request: DispatchRequest,
      call: Call,
      result: ToolResult.ToolResult
    ) {
      if (RunLedger.isAnswered(yield* Ref.get(request.ledger), call.part.id)) return
      yield* announce(request, call)
      yield* answer(request, call, result, yield* Clock.currentTimeMillis, false)
    })

    /** Asks for one call, and makes it when the answer is yes and nothing has changed meanwhile. */
    const confirm = Effect.fnUntraced(function* (
      request: DispatchRequest,
      call: Call,
      registered: ToolTable.RegisteredTool,
      reason: string
    ) {
      const { part } = call
      const startedAt = yield* Clock.currentTimeMillis
      const { runId } = request.context
      const pending: Run.PendingApproval = {
        callId: part.id,
        tool: part.name,
        server: registered.tool.spec.server,
        input: part.input,
        reason
      }
      const given = request.answer?.callId === part.id ? request.answer : undefined
      if (given === undefined) {
        const { callId, ...shown } = pending
        yield* request.emit({ type: "approval_requested", run_id: runId, call_id: callId, ...shown })
      }
      const reply =
        given === undefined
          ? yield* approver.ask(runId, pending)
          : ({ _tag: given.approved ? "Approved" : "Refused" } as const)
      if (reply._tag === "Unattended") return Option.some(pending)
      if (reply._tag === "Refused") {
        const why = "reason" in reply ? reply.reason : undefined
        yield* answer(request, call, ToolResult.denied("denied_by_person", why), startedAt, false)
        return Option.none()
      }
      const again = yield* decide(request, registered, part.input)
      if (again._tag === "Deny")
        yield* answer(request, call, ToolResult.denied(again.reason, again.detail), startedAt, false)
      else yield* execute(request, call, registered.tool)
      return Option.none()
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
      for (const group of groups(todo, request.table)) {
        if (ended !== undefined || (yield* request.redirected)) {
          const why = ended === undefined ? "skipped: the user redirected" : "skipped: the run ends"
          for (const call of group) yield* skip(request, call, ToolResult.failed(why))
          continue
        }
        const done = yield* Effect.forEach(group, (call) => begin(request, call), { concurrency })
        for (const { call, planned } of done) {
          if (planned._tag === "Ask") asks.push({ call, ...planned })
          if (planned._tag === "End") {
            ended = planned.message
            yield* skip(request, call, ToolResult.failed(`Not run: ${planned.message}.`))
          }
        }
      }
      for (const { call, reason, registered } of asks) {
        if (ended !== undefined) {
          yield* skip(request, call, ToolResult.failed("skipped: the run ends"))
          continue
        }
        const pending = yield* confirm(request, call, registered, reason)
        if (Option.isSome(pending)) return { _tag: "Waiting", pending: pending.value }
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
