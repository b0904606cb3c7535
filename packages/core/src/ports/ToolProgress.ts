/**
 * What a tool that takes long tells the people who wait for it, while it runs. It never reaches the model, the
 * history or the events. A tool asks for this where it runs; whoever starts the run says where it goes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface Progress {
  readonly runId: string
  readonly callId: string
  readonly tool: string
  /** Since the call began. */
  readonly seconds: number
  /** One line, secrets masked; "" where there is nothing to show yet. */
  readonly text: string
}

/** Nowhere, unless it is provided around the run. */
export const ToolProgress = Context.Reference<(progress: Progress) => Effect.Effect<void>>(
  "@cow/core/ToolProgress",
  { defaultValue: () => () => Effect.void }
)
