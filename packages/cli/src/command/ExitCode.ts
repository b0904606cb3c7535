/**
 * The exit codes of the command line, and which of them an end of a command means. Printing what went wrong is
 * `Program`'s.
 */
import * as Schema from "effect/Schema"

export const ExitCode = {
  ok: 0,
  failure: 1,
  usage: 2,
  unauthorized: 41,
  badInput: 42,
  brokenConfig: 52,
  stepLimit: 53,
  untrusted: 55,
  serverNotReady: 56,
  waitingApproval: 58,
  cancelled: 130,
  /** As the shell tells of a program that its reader has left. */
  readerGone: 141
} as const
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode]

/** Ends the command with this code. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  code: Schema.Literals([1, 2, 41, 42, 52, 53, 55, 56, 58, 130, 141]),
  /** One line for people, printed on stderr; `""` where everything has been said. */
  message: Schema.String
}) {}

type FailureCode = CommandFailed["code"]

export const failed = (message: string, code: FailureCode = ExitCode.failure): CommandFailed =>
  new CommandFailed({ code, message })

export const badUsage = (message: string): CommandFailed => failed(message, ExitCode.usage)

/** What of a run's outcome decides. */
export interface Ended {
  readonly status: "completed" | "failed" | "cancelled" | "waiting_approval" | "limit"
  /** Why it `failed`. */
  readonly failure: string | null
}

export const ofRun = ({ status, failure }: Ended): ExitCode => {
  switch (status) {
    case "completed":
      return ExitCode.ok
    case "limit":
      return ExitCode.stepLimit
    case "waiting_approval":
      return ExitCode.waitingApproval
    case "cancelled":
      return ExitCode.cancelled
    case "failed":
      return failure === "unauthorized" ? ExitCode.unauthorized : ExitCode.failure
  }
}
