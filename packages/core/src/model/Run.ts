/**
 * A run: one user message worked off to its end, possibly across several processes when it waits for approval.
 * `queued`: its session is claimed, and being looked at; `running`: it has begun.
 *
 * The states and their transitions are pure; where runs are kept is `RunStore`.
 */
import * as Schema from "effect/Schema"
import { JsonObject } from "./Message.ts"
import { PermissionMode } from "./Permission.ts"

export const RunStatus = Schema.Literals([
  "queued",
  "running",
  "waiting_approval",
  "completed",
  "failed",
  "cancelled",
  "limit"
])
export type RunStatus = typeof RunStatus.Type

/** A call that waits for a person: exactly this tool with exactly these arguments. */
export const PendingApproval = Schema.Struct({
  callId: Schema.String,
  tool: Schema.String,
  server: Schema.String,
  input: JsonObject,
  reason: Schema.String,
  /** Digest of the tool's definition that the question was about: an answer does not hold for another one. */
  definition: Schema.optionalKey(Schema.String),
  /** Where a worker's call waits: the worker's run, and the call of this run that it works for. */
  worker: Schema.optionalKey(Schema.Struct({ runId: Schema.String, callId: Schema.String }))
})
export type PendingApproval = typeof PendingApproval.Type

/** What of it everybody is shown, in the events of the run that waits. */
export const shownOf = ({ input, reason, server, tool }: PendingApproval) => ({ tool, server, input, reason })

/** Times are milliseconds since 1970. */
export const Run = Schema.Struct({
  id: Schema.String,
  sessionId: Schema.String,
  status: RunStatus,
  /** `provider/model`. */
  model: Schema.String,
  persona: Schema.String,
  permission: PermissionMode,
  /** Absolute path. */
  workspace: Schema.String,
  maxSteps: Schema.Number,
  /** True: the run has no tools of MCP servers, whoever it acts for. */
  restricted: Schema.Boolean,
  /** Id of the run whose worker this is. Null: a person's or a program's. */
  parent: Schema.NullOr(Schema.String),
  /** Steps done so far. */
  steps: Schema.Number,
  /** The first message of this run in its session: index of its user text. */
  startsAt: Schema.Number,
  usage: Schema.Struct({
    inputTokens: Schema.Number,
    outputTokens: Schema.Number,
    cachedTokens: Schema.Number
  }),
  pending: Schema.NullOr(PendingApproval),
  /** One line, for `failed`. */
  error: Schema.NullOr(Schema.String),
  createdAt: Schema.Number,
  updatedAt: Schema.Number
})
export type Run = typeof Run.Type

const next: Record<RunStatus, ReadonlyArray<RunStatus>> = {
  queued: ["running", "failed", "cancelled"],
  running: ["waiting_approval", "completed", "failed", "cancelled", "limit"],
  waiting_approval: ["running", "failed", "cancelled"],
  completed: [],
  failed: [],
  cancelled: [],
  limit: []
}

export const canBecome = (from: RunStatus, to: RunStatus): boolean => next[from].includes(to)

/** Somebody works on it; a run that waits for an approval is nobody's until it is answered. */
export const isWorkedOn = (status: RunStatus): boolean => status === "queued" || status === "running"

export const isFinal = (status: RunStatus): boolean => next[status].length === 0
