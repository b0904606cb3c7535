/**
 * What is asked of a run, as plain data: it can be stored, sent over a wire and taken up by another process. What
 * became of it is `Run`; the model behind the id is found through `Models`.
 */
import * as Schema from "effect/Schema"
import { PermissionMode } from "./Permission.ts"

export const RunRequest = Schema.Struct({
  prompt: Schema.String,
  /** Continues this session, or starts it under this id. Absent: a new session. */
  sessionId: Schema.optionalKey(Schema.String),
  /** `provider/model`. */
  model: Schema.String,
  persona: Schema.String,
  permission: PermissionMode,
  /** Absolute path. */
  workspace: Schema.String,
  /** Rounds of tool calls; then one last answer without tools. */
  maxSteps: Schema.Number,
  /** True: a reply without text and calls is an answer. */
  allowEmptyAnswer: Schema.optionalKey(Schema.Boolean),
  /** True: no tools of MCP servers, neither sent nor callable by name. */
  restricted: Schema.optionalKey(Schema.Boolean),
  /** Id of the run whose worker this one is: it cannot delegate further. */
  parent: Schema.optionalKey(Schema.String)
})
export type RunRequest = typeof RunRequest.Type
