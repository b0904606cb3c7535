/**
 * The facts of a run, as they are printed by `--output json`, stored, and streamed over HTTP: `type` first, then
 * exactly these fields.
 */
import * as Schema from "effect/Schema"
import * as Excerpt from "../text/Excerpt.ts"
import * as VisibleJson from "../text/VisibleJson.ts"
import { JsonObject, ToolStatus } from "./Message.ts"
import { PermissionMode } from "./Permission.ts"
import { ServerState } from "./ServerStatus.ts"

const Strings = Schema.Array(Schema.String)

export const RunStarted = Schema.Struct({
  type: Schema.Literal("run_started"),
  v: Schema.Literal(1),
  run_id: Schema.String,
  session_id: Schema.String,
  model: Schema.String,
  persona: Schema.String,
  workspace: Schema.String,
  permission: PermissionMode,
  tools: Schema.Struct({ builtin: Schema.Number, mcp: Schema.Number }),
  mcp: Schema.Array(Schema.Struct({ server: Schema.String, status: ServerState })),
  skills: Schema.Struct({ available: Schema.Number, unavailable: Schema.Number })
})

export const StepStarted = Schema.Struct({
  type: Schema.Literal("step_started"),
  /** From 1. */
  step: Schema.Number,
  /** Exactly what the provider request carries, in its order. */
  tools: Strings,
  selection: Schema.Struct({
    mode: Schema.Literals(["all", "selected", "fallback"]),
    reason: Schema.String,
    added: Strings
  })
})

export const TextDelta = Schema.Struct({ type: Schema.Literal("text_delta"), text: Schema.String })
export const ReasoningDelta = Schema.Struct({ type: Schema.Literal("reasoning_delta"), text: Schema.String })

export const ToolCalled = Schema.Struct({
  type: Schema.Literal("tool_called"),
  call_id: Schema.String,
  tool: Schema.String,
  server: Schema.String,
  input: Schema.Json
})

export const ToolFinished = Schema.Struct({
  type: Schema.Literal("tool_finished"),
  call_id: Schema.String,
  tool: Schema.String,
  status: ToolStatus,
  duration_ms: Schema.Number,
  /** Text of the result, at most 2,000 characters. */
  content: Schema.String
})

export const ApprovalRequested = Schema.Struct({
  type: Schema.Literal("approval_requested"),
  run_id: Schema.String,
  call_id: Schema.String,
  tool: Schema.String,
  server: Schema.String,
  input: JsonObject,
  reason: Schema.String
})

/** What was streamed since the step began is void. */
export const RetryScheduled = Schema.Struct({
  type: Schema.Literal("retry_scheduled"),
  attempt: Schema.Number,
  delay_ms: Schema.Number,
  reason: Schema.String
})

export const ContextCompacted = Schema.Struct({
  type: Schema.Literal("context_compacted"),
  before_tokens: Schema.Number,
  after_tokens: Schema.Number
})

export const McpStatus = Schema.Struct({
  type: Schema.Literal("mcp_status"),
  server: Schema.String,
  status: ServerState,
  error: Schema.NullOr(Schema.String),
  /** How many. */
  tools: Schema.Number
})

export const ToolsChangedEvent = Schema.Struct({
  type: Schema.Literal("tools_changed"),
  added: Strings,
  removed: Strings
})

export const Steered = Schema.Struct({ type: Schema.Literal("steered"), count: Schema.Number })

export const ErrorEvent = Schema.Struct({
  type: Schema.Literal("error"),
  code: Schema.String,
  message: Schema.String
})

export const RunFinished = Schema.Struct({
  type: Schema.Literal("run_finished"),
  run_id: Schema.String,
  status: Schema.Literals(["completed", "failed", "cancelled", "waiting_approval", "limit"]),
  text: Schema.String,
  /** How many steps were started. */
  steps: Schema.Number,
  usage: Schema.Struct({
    input_tokens: Schema.Number,
    output_tokens: Schema.Number,
    cached_tokens: Schema.Number
  }),
  error: Schema.NullOr(Schema.String)
})

export const AgentEvent = Schema.Union([
  RunStarted,
  StepStarted,
  TextDelta,
  ReasoningDelta,
  ToolCalled,
  ToolFinished,
  ApprovalRequested,
  RetryScheduled,
  ContextCompacted,
  McpStatus,
  ToolsChangedEvent,
  Steered,
  ErrorEvent,
  RunFinished
])
export type AgentEvent = typeof AgentEvent.Type
export type AgentEventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { readonly type: Type }>

const encode = Schema.encodeUnknownSync(AgentEvent)

/**
 * One line of JSON without the line end. Fields that are not the event's own are dropped. Hidden characters stand as
 * `\uXXXX`: the value is the same, and a person who reads the line sees them.
 */
export const toLine = (event: AgentEvent): string =>
  VisibleJson.escape(JSON.stringify(encode(Excerpt.wellFormedDeep(event))))
