/** The port to sentence embeddings: texts in, unit vectors out. Ranking with them is the retrieval package's. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class EmbedError extends Schema.TaggedError<EmbedError>()("EmbedError", {
  /** One line for people. Holds no key. */
  message: Schema.String,
  /** Seconds the service asks to wait, where it says so. */
  retryAfterSeconds: Schema.optionalKey(Schema.Number)
}) {}

export class Embedder extends Context.Service<
  Embedder,
  {
    /** Model and everything else that makes its vectors differ from another's: part of a stored vector's key. */
    readonly id: string
    readonly dimensions: number
    /** One unit vector a text, in the order of the texts, each of `dimensions` finite numbers. */
    readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedError>
  }
>()("@cow/core/Embedder") {}
