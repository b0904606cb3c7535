/**
 * Everything a run has done so far, as one value, so that whatever ends it (an answer, an error, a cancel in the
 * middle of a tool) finds what must be kept. Pure operations; the run holds it in a `Ref`.
 */
import { Message, Model, type SessionState, type SessionSummary, SessionTools, Transcript } from "@cow/core"
import * as RepetitionGuard from "../call/RepetitionGuard.ts"
import type * as StreamFold from "../step/StreamFold.ts"

/** The calls of the newest assistant message while they are being answered. */
export interface OpenCalls {
  readonly calls: ReadonlyArray<Message.ToolCallPart>
  readonly results: ReadonlyMap<string, Message.ToolResultPart>
  /** Ids whose `tool_called` was published. */
  readonly announced: ReadonlySet<string>
  /** Ids whose tool was begun, with the milliseconds since 1970 when it was. */
  readonly started: ReadonlyMap<string, number>
  /** What the user said while the run waited for an approval; it stands behind the results. */
  readonly notes: ReadonlyArray<string>
}

export interface RunLedger {
  /** The whole session. While calls are open it ends with their assistant message. */
  readonly messages: ReadonlyArray<Message.Message>
  /** How many of them are in the store as they stand here. */
  readonly stored: number
  /** Of the session in the store, as this run has seen it last. */
  readonly revision: number
  /** What the session keeps of its tools, and what of it is in the store. */
  readonly tools: SessionTools.SessionTools
  readonly storedTools: SessionTools.SessionTools
  /** What stands for the session's beginning in requests, and what of it is in the store. */
  readonly summary: SessionSummary | null
  readonly storedSummary: SessionSummary | null
  /** Steps started. */
  readonly steps: number
  /** Steps that called tools. */
  readonly toolRounds: number
  readonly usage: Model.Usage
  readonly guard: RepetitionGuard.GuardState
  /** The reply that is streaming now. */
  readonly draft: StreamFold.FoldState | null
  readonly open: OpenCalls | null
}

/** A session that is stored nowhere. */
export const unstored = (messages: ReadonlyArray<Message.Message>): SessionState => ({
  revision: 0,
  messages,
  tools: SessionTools.none,
  summary: null
})

export const make = ({ messages, revision, summary, tools }: SessionState, stored: number): RunLedger => ({
  messages,
  stored,
  revision,
  tools,
  storedTools: tools,
  summary,
  storedSummary: summary,
  steps: 0,
  toolRounds: 0,
  usage: Model.noUsage,
  guard: RepetitionGuard.initial,
  draft: null,
  open: null
})

export const append = (ledger: RunLedger, message: Message.Message): RunLedger => ({
  ...ledger,
  messages: [...ledger.messages, message]
})

/** What the session keeps of its tools after a step. */
export const keepTools = (
  ledger: RunLedger,
  sent: ReadonlyArray<string>,
  chosen: ReadonlyArray<string>
): RunLedger => {
  const tools = SessionTools.after(ledger.tools, sent, chosen)
  if (tools !== ledger.tools || sent === tools.sent) return { ...ledger, tools }
  // The same names in the very list that the next step compares with, which then costs nothing.
  const aligned = { ...tools, sent }
  return {
    ...ledger,
    tools: aligned,
    storedTools: ledger.storedTools === tools ? aligned : ledger.storedTools
  }
}

export const addUsage = (ledger: RunLedger, usage: Model.Usage): RunLedger => ({
  ...ledger,
  usage: Model.addUsage(ledger.usage, usage)
})

/** The reply becomes the newest message; its calls wait for their results. */
export const openCalls = (ledger: RunLedger, message: Message.AssistantMessage): RunLedger => ({
  ...append({ ...ledger, draft: null }, message),
  open: {
    calls: Message.toolCallsOf(message),
    results: new Map(),
    announced: new Set(),
    started: new Map(),
    notes: []
  }
})

/** Takes up the calls of a stored session whose answers are not complete. */
export const reopen = (ledger: RunLedger): RunLedger => {
  const at = ledger.messages.findLastIndex((message) => message.role === "assistant")
  const calls = at < 0 ? [] : Message.toolCallsOf(ledger.messages[at] as Message.Message)
  const behind = ledger.messages.slice(at + 1)
  const results = behind.flatMap(Message.toolResultsOf)
  return {
    ...ledger,
    messages: ledger.messages.slice(0, at + 1),
    stored: at + 1,
    open: {
      calls,
      results: new Map(results.map((result) => [result.callId, result])),
      announced: new Set(calls.map((call) => call.id)),
      started: new Map(),
      notes: behind.flatMap((message) =>
        message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
      )
    }
  }
}

export const announce = (ledger: RunLedger, callId: string): RunLedger =>
  ledger.open === null
    ? ledger
    : { ...ledger, open: { ...ledger.open, announced: new Set(ledger.open.announced).add(callId) } }

export const begin = (ledger: RunLedger, callId: string, at: number): RunLedger =>
  ledger.open === null
    ? ledger
    : { ...ledger, open: { ...ledger.open, started: new Map(ledger.open.started).set(callId, at) } }

export const answer = (ledger: RunLedger, result: Message.ToolResultPart): RunLedger =>
  ledger.open === null
    ? ledger
    : {
        ...ledger,
        open: { ...ledger.open, results: new Map(ledger.open.results).set(result.callId, result) }
      }

export const isAnswered = (ledger: RunLedger, callId: string): boolean =>
  ledger.open?.results.has(callId) ?? true

/** The results there are, in the order of the calls. */
export const resultsSoFar = ({ open }: RunLedger): ReadonlyArray<Message.ToolResultPart> =>
  open === null ? [] : open.calls.flatMap((call) => open.results.get(call.id) ?? [])

/** What stands behind the open calls while they wait. */
export const partsSoFar = (ledger: RunLedger): ReadonlyArray<Message.UserPart> => [
  ...resultsSoFar(ledger),
  ...(ledger.open?.notes ?? []).map(Message.text)
]

/** All calls answered: one user message with every result in order, and `note` behind them. */
export const closeCalls = (ledger: RunLedger, note?: string): RunLedger => {
  if (ledger.open === null) return ledger
  const { calls, notes, results } = ledger.open
  const parts: ReadonlyArray<Message.UserPart> = [
    ...calls.map((call) => results.get(call.id) ?? Transcript.interruptedResult(call)),
    ...[...notes, ...(note === undefined ? [] : [note])].map(Message.text)
  ]
  return append({ ...ledger, open: null }, { role: "user", parts })
}

/** Ids of all calls of the session. */
export const callIds = (ledger: RunLedger): ReadonlyArray<string> =>
  ledger.messages.flatMap((message) => Message.toolCallsOf(message).map((call) => call.id))
