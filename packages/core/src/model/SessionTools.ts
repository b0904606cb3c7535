/**
 * What a session keeps of its tools from step to step and from process to process, so that a run that goes on sends
 * the same tools in the same order and providers find their caches. Pure.
 */
import * as Schema from "effect/Schema"

export const SessionTools = Schema.Struct({
  /** Names in the order in which the last step sent them. */
  sent: Schema.Array(Schema.String),
  /** Names chosen by relevance in some step, in the order in which they were. Only grows. */
  chosen: Schema.Array(Schema.String)
})
export type SessionTools = typeof SessionTools.Type

export const none: SessionTools = { sent: [], chosen: [] }

/** After a step. The very same value where nothing changed, which is then not stored again. */
export const after = (
  before: SessionTools,
  sent: ReadonlyArray<string>,
  chosen: ReadonlyArray<string>
): SessionTools => {
  const old = new Set(chosen.length === 0 ? [] : before.chosen)
  const added = [...new Set(chosen)].filter((name) => !old.has(name))
  const same =
    sent === before.sent ||
    (sent.length === before.sent.length && sent.every((name, at) => name === before.sent[at]))
  return same && added.length === 0 ? before : { sent, chosen: [...before.chosen, ...added] }
}
