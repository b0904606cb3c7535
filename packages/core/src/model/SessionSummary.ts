/**
 * What stands in requests for the beginning of a long session. The session itself keeps every message; a summary is
 * made once, stored beside them, and followed by one that covers more when the rest has grown too long again.
 */
import * as Schema from "effect/Schema"

export const SessionSummary = Schema.Struct({
  /** How many messages from the first on it stands for. The one behind them is a user's. */
  upTo: Schema.Number,
  text: Schema.String
})
export type SessionSummary = typeof SessionSummary.Type
