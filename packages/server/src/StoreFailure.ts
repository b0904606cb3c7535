/** A failure of Cow's own, as a store that cannot be read: the log gets the whole, the client that it happened. */
import * as Effect from "effect/Effect"
import * as HttpFailure from "./HttpFailure.ts"

export const storeFailure = (cause: unknown): Effect.Effect<never, HttpFailure.HttpFailure> =>
  Effect.andThen(Effect.logError("a request could not be answered", cause), Effect.fail(HttpFailure.internal))
