/**
 * The port by which a server may ask for a model call. Absent by default: servers are then told that there is no
 * such method. Each call needs the user's approval before any model sees it.
 */
import type { Message } from "@cow/core"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Told to the server as the error of its request. */
export class SamplingRefused extends Schema.TaggedError<SamplingRefused>()("SamplingRefused", {
  message: Schema.String
}) {}

export interface Sampled {
  /** `provider/model`. */
  readonly model: string
  readonly stopReason: "endTurn" | "maxTokens"
  readonly text: string
}

export interface SamplerShape {
  /** @param request the parameters of `sampling/createMessage`, as they came */
  readonly create: (server: string, request: Message.JsonObject) => Effect.Effect<Sampled, SamplingRefused>
}

export const Sampler = Context.Reference<SamplerShape | undefined>("@cow/mcp/Sampler", {
  defaultValue: () => undefined
})
