/**
 * What is to be done with a call, decided at the moment it comes up: resolve → validate → decide. Doing it is
 * `ToolDispatcher`.
 */
import {
  type Decision,
  Guest,
  type Message,
  SchemaValidator,
  type Tool,
  ToolGate,
  ToolResult,
  ToolServers,
  type ToolTable,
  UnknownToolAdvice
} from "@cow/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as RunServers from "../step/RunServers.ts"
import type { Call, DispatchRequest } from "./DispatchRequest.ts"
import * as RepetitionGuard from "./RepetitionGuard.ts"
import * as ToolFault from "./ToolFault.ts"
import * as ToolShape from "./ToolShape.ts"

/** How an answer counts for `RepetitionGuard`. */
export type Counts = "run" | "refused" | "not"

/** What is to be done with a call, decided at the moment it comes up. */
export type Plan =
  | { readonly _tag: "Answer"; readonly result: ToolResult.ToolResult; readonly counts: Counts }
  | { readonly _tag: "Run"; readonly tool: Tool.Tool }
  | { readonly _tag: "Ask"; readonly registered: ToolTable.RegisteredTool; readonly reason: string }
  | { readonly _tag: "End"; readonly message: string }

export const make = Effect.gen(function* () {
  const gate = yield* ToolGate
  const validator = yield* SchemaValidator
  const advice = yield* UnknownToolAdvice
  const servers = yield* ToolServers
  const lookAtServers = (limit: Duration.Duration) =>
    Effect.provideService(RunServers.refresh(limit), ToolServers, servers)

  const decide = (
    { context }: DispatchRequest,
    registered: ToolTable.RegisteredTool,
    input: Message.JsonObject
  ) =>
    gate.decide({
      persona: context.persona,
      permission: context.permission,
      workspace: context.workspace,
      registered,
      input
    })

  const fromDecision = (decision: Decision, registered: ToolTable.RegisteredTool): Plan => {
    switch (decision?._tag) {
      case "Allow":
        return { _tag: "Run", tool: registered.tool }
      case "Confirm":
        return { _tag: "Ask", registered, reason: decision.reason }
      case "Deny":
        return {
          _tag: "Answer",
          result: ToolResult.denied(decision.reason, decision.detail),
          counts: "not"
        }
      default:
        return {
          _tag: "Answer",
          result: ToolFault.unchecked(registered.tool.name, "gave no decision"),
          counts: "not"
        }
    }
  }

  const misfits = Effect.fnUntraced(function* ({ inputSchema }: Tool.Tool, input: Message.JsonObject) {
    const checked = yield* Guest.settle(() =>
      Effect.map(validator.compile(inputSchema), (validate) => validate(input))
    )
    return checked._tag === "Given"
      ? checked.value
      : [
          `the tool's own input schema is broken: ${checked._tag === "Broke" ? checked.message : "it cannot be read"}`
        ]
  })

  const fault = (result: ToolResult.ToolResult): Plan => ({ _tag: "Answer", result, counts: "run" })

  const plan = Effect.fnUntraced(function* (request: DispatchRequest, call: Call): Effect.fn.Return<Plan> {
    const { context, ledger, offered, table } = request
    const { name } = call.part
    const verdict = RepetitionGuard.verdict((yield* Ref.get(ledger)).guard, name, call.part.input)
    if (verdict._tag === "End") return verdict
    const registered = table.byName.get(name)
    if (registered === undefined) {
      const { persona, workspace } = context
      const advised = yield* advice.advise({ name, persona, workspace, offered })
      return fault(
        Option.match(advised, {
          onNone: () => ToolFault.unknown(name, offered),
          onSome: (given) => ToolShape.read(`advice on ${name}`, given)
        })
      )
    }
    const { tool } = registered
    if (call.arguments._tag !== "Read") return fault(ToolFault.unreadable(tool, call.arguments))
    const { input } = call.arguments
    const faults = yield* misfits(tool, input)
    if (faults.length > 0) return fault(ToolFault.misfit(tool, input, faults))
    if (verdict._tag === "Refuse")
      return { _tag: "Answer", result: ToolResult.failed(verdict.message), counts: "refused" }
    const limit = Duration.seconds(yield* Guest.maxCheckSeconds)
    // A server taken away, or closed to the persona, a moment ago is so for this call already.
    if (registered.source._tag === "Mcp") yield* lookAtServers(limit)
    const decided = yield* Guest.settle(() => decide(request, registered, input), limit)
    if (decided._tag !== "Given")
      return { _tag: "Answer", result: ToolFault.unchecked(name, Guest.describe(decided)), counts: "not" }
    return fromDecision(decided.value, registered)
  })

  return { decide, plan }
})
