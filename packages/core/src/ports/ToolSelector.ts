/**
 * Which of the tools a persona may use are sent in this step. Core's own layer: all of them.
 *
 * A failure in here never costs a tool: whatever fails, all are sent, mode `fallback`. The order in which chosen
 * tools are sent is the agent's (`SentTools`).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Message } from "../model/Message.ts"
import { namesOf, type RegisteredTool } from "../model/ToolTable.ts"

export interface SelectionRequest {
  readonly sessionId: string
  /** What was said so far, the newest last. */
  readonly messages: ReadonlyArray<Message>
  /** The tools the gate allows, in the order of the table. */
  readonly visible: ReadonlyArray<RegisteredTool>
  /** Names that must be in: what the history has called and what an earlier step of the session chose. */
  readonly kept: ReadonlySet<string>
  /** Size of the model's context, in tokens. */
  readonly contextTokens: number
}

export interface Selection {
  readonly mode: "all" | "selected" | "fallback"
  /** Why this mode, in a few words. */
  readonly reason: string
  /** A subset of `visible`, a superset of what of `kept` is visible. */
  readonly names: ReadonlySet<string>
  /** What this step chose by relevance: kept from now on in this session. Empty in the modes `all` and `fallback`. */
  readonly chosen: ReadonlyArray<string>
}

export class ToolSelector extends Context.Service<
  ToolSelector,
  { readonly select: (request: SelectionRequest) => Effect.Effect<Selection> }
>()("@cow/core/ToolSelector") {
  static readonly layerAll: Layer.Layer<ToolSelector> = Layer.succeed(ToolSelector, {
    select: (request) => Effect.succeed(selectAll(request, "retrieval is off"))
  })
}

/** Everything visible is sent. */
export const selectAll = (
  { visible }: SelectionRequest,
  reason: string,
  mode: "all" | "fallback" = "all"
): Selection => ({
  mode,
  reason,
  names: namesOf(visible),
  chosen: []
})
