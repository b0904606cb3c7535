/** What stays the same during one run: who asked for what, where its facts go, and what it has done so far. */
import type { AgentEvent, Model, Permission } from "@cow/core"
import type * as Effect from "effect/Effect"
import type * as Ref from "effect/Ref"
import type { Dispatch } from "../call/DispatchRequest.ts"
import type { SessionToolsMemory } from "../step/SessionTools.ts"
import type { Inbox } from "./Inbox.ts"
import type { RunLedger } from "./RunLedger.ts"

export interface RunRequest {
  readonly prompt: string
  /** Continues this session, or starts it under this id. Absent: a new session. */
  readonly sessionId?: string
  readonly model: Model.Model
  readonly persona: string
  readonly permission: Permission.PermissionMode
  /** Absolute path. */
  readonly workspace: string
  /** Rounds of tool calls; then one last answer without tools. */
  readonly maxSteps: number
  /** True: a reply without text and calls is an answer. */
  readonly allowEmptyAnswer?: boolean
  /** True: no tools of MCP servers, neither sent nor callable by name. */
  readonly restricted?: boolean
}

export interface RunScene {
  readonly runId: string
  readonly sessionId: string
  readonly request: Omit<RunRequest, "prompt" | "sessionId">
  readonly ledger: Ref.Ref<RunLedger>
  readonly emit: (event: AgentEvent.AgentEvent) => Effect.Effect<void>
  readonly inbox: Inbox
  readonly sessionTools: SessionToolsMemory
  readonly dispatch: Dispatch
  /** Puts the ledger's messages into the store. */
  readonly save: Effect.Effect<void>
  /** True when a request has fewer messages than any of this run before: a compaction worth telling. */
  readonly tightened: (messageCount: number) => Effect.Effect<boolean>
}
