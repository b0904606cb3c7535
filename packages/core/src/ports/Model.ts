/**
 * The port to language models: one request in, a stream of events out.
 *
 * Errors carry a reason decided once at the edge; nobody matches on their text. Folding events into a message is
 * the agent's `StreamFold`; provider wires are the models package's.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Message, ProviderData } from "../model/Message.ts"
import type { ToolDefinition } from "../model/Tool.ts"
import * as NearNames from "../text/NearNames.ts"
import * as Registrations from "./Registrations.ts"

/** A part of the system prompt. `stable` parts come first and are the same in every step, so they can be cached. */
export interface SystemPart {
  readonly text: string
  readonly stable: boolean
}

export interface ModelRequest {
  readonly system: ReadonlyArray<SystemPart>
  /** A valid transcript (`Transcript.repair` has nothing to do). */
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolDefinition>
  /** `none`: the model must answer in text. */
  readonly toolChoice: "auto" | "none"
}

export interface Usage {
  /** Tokens in, cached ones included. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Those of `inputTokens` that the provider read from its cache. */
  readonly cachedTokens: number
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }

export const addUsage = (left: Usage, right: Usage): Usage => ({
  inputTokens: left.inputTokens + right.inputTokens,
  outputTokens: left.outputTokens + right.outputTokens,
  cachedTokens: left.cachedTokens + right.cachedTokens
})

/** Why a reply ended. `length`: the output limit cut it off. */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "other"

/**
 * What a reply is made of. `block` tells parts apart; parts are ordered by their first event. The argument text of
 * a call comes as it was written, whole or in pieces. A reply without `Finish` is no reply. `Usage` is what was used
 * so far, for replies that break off; the usage of `Finish` takes its place.
 */
export type ModelEvent =
  | { readonly _tag: "TextDelta"; readonly block: string; readonly text: string }
  | {
      readonly _tag: "ReasoningDelta"
      readonly block: string
      readonly text: string
      readonly providerData?: ProviderData
    }
  | {
      readonly _tag: "ToolCallStart"
      readonly block: string
      readonly id: string
      readonly name: string
      readonly providerData?: ProviderData
    }
  | { readonly _tag: "ToolCallDelta"; readonly block: string; readonly arguments: string }
  | { readonly _tag: "Usage"; readonly usage: Usage }
  | { readonly _tag: "Finish"; readonly reason: FinishReason; readonly usage: Usage }

/** The provider asks for a pause. `retryAfterMillis`: how long, where it says so. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfterMillis: Schema.optionalKey(Schema.Number)
}) {}
/** The provider is overloaded or failed by itself (500, 502, 503, 504, 529). */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {
  retryAfterMillis: Schema.optionalKey(Schema.Number)
}) {}
/** The provider refused the key (401, 403), or there is none. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {}
/** The request is longer than the model's context. */
export class ContextOverflow extends Schema.TaggedError<ContextOverflow>()("ContextOverflow", {}) {}
/** The provider will not take this request. `pairing`: calls and results do not match. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  pairing: Schema.Boolean
}) {}
/** The connection failed, timed out or broke off; or the stream ended early. */
export class Transport extends Schema.TaggedError<Transport>()("Transport", {}) {}

export const ModelErrorReason = Schema.Union([
  RateLimited,
  Overloaded,
  Unauthorized,
  ContextOverflow,
  InvalidRequest,
  Transport
])
export type ModelErrorReason = typeof ModelErrorReason.Type

export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  reason: ModelErrorReason,
  /** One line for people. Holds no key. */
  message: Schema.String,
  /** HTTP status, where there was one. */
  status: Schema.optionalKey(Schema.Number)
}) {}

export interface Model {
  /** `provider/model`. */
  readonly id: string
  readonly takesImages: boolean
  readonly stream: (request: ModelRequest) => Stream.Stream<ModelEvent, ModelError>
  /** False: it is no language model, and cannot sum up what was said. */
  readonly summarises?: boolean
  /**
   * True: the message calls for a tool by name that is not among these, so a server that is about to bring it is worth
   * waiting for. Absent: only a tool's full name in the message says so.
   */
  readonly misses?: (message: string, tools: ReadonlyArray<ToolDefinition>) => boolean
}

export class ModelNotFound extends Schema.TaggedError<ModelNotFound>()("ModelNotFound", {
  id: Schema.String,
  /** One line that says what is wrong with the id and which there are. */
  message: Schema.String
}) {}

/** Makes models of one provider by their name. Does nothing costly before `stream` runs. */
export interface ModelProvider {
  readonly name: string
  readonly model: (name: string) => Effect.Effect<Model, ModelNotFound>
}

/** Models by `provider/model`. Plugins add providers for as long as their scope is open; the first of a name stays. */
export class Models extends Context.Service<
  Models,
  {
    readonly get: (id: string) => Effect.Effect<Model, ModelNotFound>
    readonly register: (provider: ModelProvider) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@cow/core/Models") {
  static readonly layer: Layer.Layer<Models> = Layer.sync(Models, () => {
    const providers = Registrations.make<ModelProvider>()
    const get = Effect.fnUntraced(function* (id: string) {
      const slash = id.indexOf("/")
      if (slash <= 0 || slash === id.length - 1)
        return yield* new ModelNotFound({ id, message: `model "${id}" is not of the form provider/model` })
      const provider = providers.entries().find(({ name }) => name === id.slice(0, slash))
      if (provider === undefined) {
        const known = providers
          .entries()
          .map(({ name }) => name)
          .sort()
        const hint = NearNames.hint(id.slice(0, slash), known)
        const message = `model "${id}": no provider "${id.slice(0, slash)}"${hint}; there are ${known.join(", ") || "none"}`
        return yield* new ModelNotFound({ id, message })
      }
      return yield* provider.model(id.slice(slash + 1))
    })
    return Models.of({ get, register: providers.register })
  })
}
