/** A run as the HTTP API shows it. Names as in the events of a run. Pure. */
import type { Run, StoredEvent } from "@cow/core"

/** Times are milliseconds since 1970. */
export const make = (run: Run.Run) => ({
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
  pending:
    run.pending === null
      ? null
      : {
          call_id: run.pending.callId,
          tool: run.pending.tool,
          server: run.pending.server,
          input: run.pending.input,
          reason: run.pending.reason
        },
  error: run.error,
  created_at: run.createdAt,
  updated_at: run.updatedAt
})

/** The event with its place in the run. */
export const event = ({ event, sequence }: StoredEvent) => ({ ...event, sequence })
