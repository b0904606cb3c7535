/** How a run's turn ends, as a value. What makes of it the end of the run is `RunEnd`. */
import type { Run } from "@cow/core"

/** Why a run `failed`, for exit codes. */
export type RunFailure =
  | "unauthorized"
  | "provider"
  | "context_overflow"
  | "repetition"
  | "session_lost"
  | "internal"

export type TurnEnd =
  | { readonly _tag: "Completed"; readonly text: string }
  | { readonly _tag: "Limit"; readonly text: string }
  | { readonly _tag: "Waiting"; readonly pending: Run.PendingApproval }
  | { readonly _tag: "Failed"; readonly failure: RunFailure; readonly message: string; readonly text: string }
