/** What stays the same during one run: who asked for what, where its facts go, and what it has done so far. */
import type { AgentEvent, Model, RunRequest } from "@cow/core"
import type * as Effect from "effect/Effect"
import type * as Ref from "effect/Ref"
import type { Dispatch } from "../call/DispatchRequest.ts"
import type { SeenTools } from "../step/SeenTools.ts"
import type { Inbox } from "./Inbox.ts"
import type { RunLedger } from "./RunLedger.ts"
import type { SessionWriter } from "./SessionWriter.ts"

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
  readonly seenTools: SeenTools
  readonly dispatch: Dispatch
  readonly writer: SessionWriter
  /** True when a request has fewer messages than any of this run before: a compaction worth telling. */
  readonly tightened: (messageCount: number) => Effect.Effect<boolean>
}
