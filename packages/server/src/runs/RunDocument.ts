/** A run as the HTTP API shows it. Names as in the events of a run. Pure. */
import { Message, Permission, Run, type StoredEvent } from "@cow/core"
import * as Schema from "effect/Schema"

export const RunDocument = Schema.Struct({
  run_id: Schema.String,
  session_id: Schema.String,
  status: Run.RunStatus,
  model: Schema.String,
  persona: Schema.String,
  permission: Permission.PermissionMode,
  workspace: Schema.String,
  steps: Schema.Number,
  usage: Schema.Struct({
    input_tokens: Schema.Number,
    output_tokens: Schema.Number,
    cached_tokens: Schema.Number
  }),
  /** The call that waits for an approval. */
  pending: Schema.NullOr(
    Schema.Struct({
      call_id: Schema.String,
      tool: Schema.String,
      server: Schema.String,
      input: Message.JsonObject,
      reason: Schema.String
    })
  ),
  error: Schema.NullOr(Schema.String),
  created_at: Schema.Number,
  updated_at: Schema.Number
}).annotate({ identifier: "Run", description: "A run. Times are milliseconds since 1970" })
export type RunDocument = typeof RunDocument.Type

export const make = (run: Run.Run): RunDocument => ({
  run_id: run.id,
  session_id: run.sessionId,
  status: run.status,
  model: run.model,
  persona: run.persona,
  permission: run.permission,
  workspace: run.workspace,
  steps: run.steps,
  usage: {
    input_tokens: run.usage.inputTokens,
    output_tokens: run.usage.outputTokens,
    cached_tokens: run.usage.cachedTokens
  },
  pending: run.pending === null ? null : { call_id: run.pending.callId, ...Run.shownOf(run.pending) },
  error: run.error,
  created_at: run.createdAt,
  updated_at: run.updatedAt
})

/** What was stored stays readable whatever an event gains or loses: only what every event has is named. */
export const EventDocument = Schema.StructWithRest(
  Schema.Struct({ type: Schema.String, sequence: Schema.Number }),
  [Schema.Record(Schema.String, Schema.Json)]
).annotate({ identifier: "StoredEvent", description: "An event of a run, and its number in the run, from 1" })

/** The event with its place in the run. */
export const event = ({ event, sequence }: StoredEvent): typeof EventDocument.Type => ({ ...event, sequence })
