/** What the dispatcher is asked to answer, and what came of it. Doing it is `ToolDispatcher`. */
import type { AgentEvent, Message, Run, Tool, ToolResult, ToolTable } from "@cow/core"
import type * as Effect from "effect/Effect"
import type * as Ref from "effect/Ref"
import type * as RunLedger from "../run/RunLedger.ts"
import type * as ToolArguments from "./ToolArguments.ts"

/** What a person said about a call of a run that waited. */
export interface GivenAnswer {
  readonly approved: boolean
  readonly pending: Run.PendingApproval
}

/** A call of a reply, and what its arguments read as. */
export interface Call {
  readonly part: Message.ToolCallPart
  readonly arguments: ToolArguments.Arguments
}

export interface DispatchRequest {
  readonly context: Omit<Tool.ToolContext, "callId">
  /** Answered ones are passed over. */
  readonly calls: ReadonlyArray<Call>
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
  readonly answer?: GivenAnswer
}

export type DispatchOutcome =
  /** Every call has its answer in the ledger. */
  | { readonly _tag: "Answered" }
  /** This call waits for a person, and those after it that need one. */
  | { readonly _tag: "Waiting"; readonly pending: Run.PendingApproval }
  /** Every call has its answer, and the run ends: the model only repeats itself. */
  | { readonly _tag: "Repeating"; readonly message: string }

export type Dispatch = (request: DispatchRequest) => Effect.Effect<DispatchOutcome>
