/**
 * The endpoints of runs: list them, start one and stream it, look at it, read its events, answer its approval, cancel,
 * steer. What they do is `RunHandlers`.
 */
import { AgentEvent, Permission, Run } from "@cow/core"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ofBody } from "../failure/FailureCode.ts"
import { failures } from "../failure/FailureSchema.ts"
import { EventDocument, RunDocument } from "./RunDocument.ts"

const Text = Schema.String.check(Schema.isPattern(/\S/u, { message: "must not be blank" }))

export const StartBody = Schema.Struct({
  prompt: Text,
  persona: Schema.optionalKey(Schema.String),
  session: Schema.optionalKey(Schema.String.annotate({ description: "The session that is continued" })),
  model: Schema.optionalKey(Schema.String.annotate({ description: "`provider/model`" })),
  permission: Schema.optionalKey(Permission.PermissionMode)
}).annotate({ examples: [{ prompt: "What is in this folder?", permission: "read-only" }] })

export const ApprovalBody = Schema.Struct({
  approved: Schema.Boolean,
  call_id: Schema.optionalKey(
    Schema.String.annotate({ description: "Refused when another call waits by now" })
  )
}).annotate({ examples: [{ approved: true }] })

const SteerBody = Schema.Struct({ text: Text }).annotate({ examples: [{ text: "Only the tests, please" }] })

/** A whole number, 0 or more. */
const Sequence = Schema.String.check(
  Schema.isPattern(/^\d{1,15}$/u, { message: "must be a whole number, 0 or more" })
)

/** As many runs as an answer lists when nobody says. */
export const defaultLimit = "50"

const Limit = Schema.String.check(
  Schema.isPattern(/^([1-9]\d?|1\d\d|200)$/u, { message: "must be a whole number from 1 to 200" })
)

const ofRun = { params: { id: Schema.String } }

const EventLine = AgentEvent.AgentEvent.annotate({ identifier: "Event" })

const start = HttpApiEndpoint.post("start", "/api/runs", {
  payload: StartBody,
  success: [
    HttpApiSchema.StreamNdjson({ schema: EventLine }),
    Schema.String.annotate({
      description: "The events of the run: one JSON object a line, or server-sent events to who accepts them"
    }).pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
  ],
  error: failures(...ofBody, "persona_not_found", "session_not_found", "session_busy")
}).annotate(OpenApi.Summary, "Starts a run and streams its events. A client that goes away cancels it.")

const list = HttpApiEndpoint.get("list", "/api/runs", {
  query: {
    session: Schema.optionalKey(Schema.String.annotate({ description: "Only runs of this session" })),
    status: Schema.optionalKey(Run.RunStatus.annotate({ description: "Only runs that stand like this" })),
    limit: Schema.optionalKey(Limit.annotate({ description: `At most so many; ${defaultLimit} if absent` })),
    cursor: Schema.optionalKey(Schema.String.annotate({ description: "`next_cursor` of the answer before" }))
  },
  success: Schema.Struct({
    runs: Schema.Array(RunDocument),
    next_cursor: Schema.NullOr(Schema.String.annotate({ description: "Where the next answer begins" }))
  }).annotate({ description: "The runs, the last created first; `next_cursor` is null at the end" }),
  error: failures("invalid_query")
}).annotate(OpenApi.Summary, "The runs, page by page")

const show = HttpApiEndpoint.get("show", "/api/runs/:id", {
  ...ofRun,
  success: RunDocument,
  error: failures("run_not_found")
}).annotate(OpenApi.Summary, "A run: its status, and the call it waits for")

const events = HttpApiEndpoint.get("events", "/api/runs/:id/events", {
  ...ofRun,
  query: {
    after_sequence: Schema.optionalKey(
      Sequence.annotate({ description: "Only events with a greater sequence number" })
    )
  },
  success: Schema.Struct({ events: Schema.Array(EventDocument) }).annotate({
    description: "The events after the number, in order"
  }),
  error: failures("run_not_found", "invalid_query")
}).annotate(OpenApi.Summary, "The stored events of a run, in order")

const approval = HttpApiEndpoint.post("approval", "/api/runs/:id/approval", {
  ...ofRun,
  payload: ApprovalBody,
  success: Schema.Struct({ run: RunDocument, approved: Schema.Boolean }).annotate({
    description: "The run as it goes on, and what was answered"
  }),
  error: failures(...ofBody, "run_not_found", "invalid_approval", "session_busy")
}).annotate(OpenApi.Summary, "Answers the call that the run waits for; the run goes on by itself")

const cancel = HttpApiEndpoint.post("cancel", "/api/runs/:id/cancel", {
  ...ofRun,
  success: RunDocument,
  error: failures("run_not_found", "invalid_approval", "run_terminal", "run_not_active", "session_busy")
}).annotate(OpenApi.Summary, "Ends the run. Again: the same answer, and nothing changes")

const steer = HttpApiEndpoint.post("steer", "/api/runs/:id/steer", {
  ...ofRun,
  payload: SteerBody,
  success: Schema.Struct({ run_id: Schema.String })
    .annotate({ description: "The text reaches the model with its next request" })
    .pipe(HttpApiSchema.status(202)),
  error: failures(...ofBody, "run_not_found", "run_terminal", "run_not_active")
}).annotate(OpenApi.Summary, "Puts a text into a run that is under way")

export const RunsGroup = HttpApiGroup.make("runs")
  .add(list)
  .add(start)
  .add(show)
  .add(events)
  .add(approval)
  .add(cancel)
  .add(steer)
  .annotate(OpenApi.Description, "Runs: one message worked off to its end")
