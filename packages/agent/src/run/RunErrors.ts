/** Why a run cannot begin or go on; that its session is busy, `RunStore` says. */
import * as Schema from "effect/Schema"

/** A run of the session waits for approval, and the message could not be kept for after it. */
export class SessionWaiting extends Schema.TaggedError<SessionWaiting>()("SessionWaiting", {
  sessionId: Schema.String,
  runId: Schema.String
}) {}

/** The run does not wait for approval. */
export class NotWaiting extends Schema.TaggedError<NotWaiting>()("NotWaiting", {
  runId: Schema.String,
  status: Schema.String
}) {}
