/**
 * A run that is being worked on: its id, its inbox, and its scene over the ledger of its session. How it begins is
 * `RunStart`, how it ends `RunEnd`.
 */
import type {
  Events,
  Models,
  PromptSections,
  RunStore,
  SessionStore,
  SkillCatalog,
  ToolGate,
  ToolManager,
  ToolSelector,
  ToolServers
} from "@cow/core"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as AgentLimits from "../AgentLimits.ts"
import type { Dispatch } from "../call/DispatchRequest.ts"
import type { SeenTools } from "../step/SeenTools.ts"
import * as Inbox from "./Inbox.ts"
import * as RunJournal from "./RunJournal.ts"
import type * as RunLedger from "./RunLedger.ts"
import type { RunScene } from "./RunScene.ts"
import * as SessionWriter from "./SessionWriter.ts"

/** What working on a run needs. */
export type Requirements =
  | Events
  | Models
  | PromptSections
  | RunStore
  | SessionStore
  | SkillCatalog
  | ToolGate
  | ToolManager
  | ToolSelector
  | ToolServers

/** What is there of a run before its history is loaded. */
export interface ActiveRun {
  readonly sessionId: string
  readonly inbox: Inbox.Inbox
  readonly dispatch: Dispatch
  readonly seenTools: SeenTools
}

/** `s_…`, `run_…`, `call_…`: 16 hex digits by chance. */
export const newId = (kind: "s" | "run" | "call"): string =>
  `${kind}_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`

export const makeActive = Effect.fnUntraced(function* (given: Omit<ActiveRun, "inbox">) {
  const inbox = yield* Inbox.make({
    maxChars: yield* AgentLimits.maxSteerChars,
    maxPending: yield* AgentLimits.maxPendingSteers
  })
  return { ...given, inbox } satisfies ActiveRun
})

/** A run's scene over the ledger of its session. */
export const makeScene = Effect.fnUntraced(function* (
  { dispatch, inbox, seenTools, sessionId }: ActiveRun,
  runId: string,
  request: RunScene["request"],
  start: RunLedger.RunLedger
) {
  const ledger = yield* Ref.make(start)
  const { emit } = yield* RunJournal.make(runId)
  const fewest = yield* Ref.make(Number.POSITIVE_INFINITY)
  const tightened = (count: number) =>
    Ref.modify(fewest, (least) => [count < least, Math.min(count, least)] as const)
  const scene: RunScene = {
    runId,
    sessionId,
    request,
    ledger,
    emit,
    inbox,
    seenTools,
    dispatch,
    writer: yield* SessionWriter.make(sessionId, ledger),
    tightened
  }
  return scene
})
