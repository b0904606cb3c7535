/** How the end of a run ends the command: its exit code, and what a person can do next. */
import type { RunOutcome, SessionWaiting } from "@cow/agent"
import type { SessionBusy } from "@cow/core"
import * as Effect from "effect/Effect"
import { CommandFailed, ExitCode, failed, ofRun } from "../command/ExitCode.ts"
import { Output } from "../terminal/Output.ts"
import * as RunSetup from "./RunSetup.ts"

export const codeOf = ({ failure, finished }: RunOutcome): ExitCode =>
  ofRun({ status: finished.status, failure })

/** Succeeds for a completed run, else fails with its exit code; the events have told why. */
export const exit = Effect.fnUntraced(function* (outcome: RunOutcome) {
  const code = codeOf(outcome)
  const { run_id, status } = outcome.finished
  const output = yield* Output
  if (status === "waiting_approval")
    yield* output.note(`cow: run ${run_id} waits for approval: cow approve ${run_id} or cow deny ${run_id}`)
  if (status === "limit") yield* output.note("cow: the step limit was reached; --max-steps raises it")
  if (code !== ExitCode.ok) return yield* new CommandFailed({ code, message: "" })
})

/** Why a run could not begin. */
export const refused = {
  ModelNotFound: RunSetup.refusedModel,
  SessionBusy: ({ message }: SessionBusy) =>
    failed(`${message}; try again when it is free, or let cow run or cow chat --wait`),
  SessionWaiting: ({ runId, sessionId }: SessionWaiting) =>
    failed(
      `session ${sessionId} waits for an approval: cow approve ${runId} or cow deny ${runId}`,
      ExitCode.waitingApproval
    )
}
