/**
 * The port to the person who approves calls. Core's own layer has nobody: the run then stops and waits, stored,
 * until `cow approve` or the API answers.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { PendingApproval } from "../model/Run.ts"

/** `unattended`: nobody can be asked in this process. */
export type ApprovalAnswer =
  | { readonly _tag: "Approved" }
  | { readonly _tag: "Refused"; readonly reason?: string }
  | { readonly _tag: "Unattended" }

export class Approver extends Context.Service<
  Approver,
  {
    /** Waits for the answer to this one call. The `approval_requested` event has been published before. */
    readonly ask: (runId: string, pending: PendingApproval) => Effect.Effect<ApprovalAnswer>
  }
>()("@cow/core/Approver") {
  static readonly layerUnattended: Layer.Layer<Approver> = Layer.succeed(Approver, {
    ask: () => Effect.succeed({ _tag: "Unattended" })
  })
}
