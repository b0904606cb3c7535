/** A failure of our own, as a store that cannot be read, or a bug: the log gets the whole, the client that it happened. */
import * as Effect from "effect/Effect"
import * as HttpFailure from "./HttpFailure.ts"

export const internalFailure = (cause: unknown): Effect.Effect<never, HttpFailure.HttpFailure<"internal">> =>
  Effect.andThen(Effect.logError("a request could not be answered", cause), Effect.fail(HttpFailure.internal))
