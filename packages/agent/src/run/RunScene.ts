/** What stays the same during one run: who asked for what, where its facts go, and what it has done so far. */
import type { AgentEvent, Model, RunRequest } from "@cow/core"
import type * as Effect from "effect/Effect"
import type * as Ref from "effect/Ref"
import type { Dispatch } from "../call/DispatchRequest.ts"
import type { SessionToolsMemory } from "../step/SessionTools.ts"
import type { Inbox } from "./Inbox.ts"
import type { RunLedger } from "./RunLedger.ts"

/** What was asked for, with the model that its id stands for. */
export type SceneRequest = Omit<RunRequest, "prompt" | "sessionId" | "model"> & {
  readonly model: Model.Model
}

export interface RunScene {
  readonly runId: string
  readonly sessionId: string
  readonly request: SceneRequest
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
