/**
 * How a built-in call fails or is refused, as errors of its Effect; with what words, for errors of the platform,
 * is core's `PlatformFault`. What a call ends with for the model is core's `ToolResult`.
 */
import { PlatformFault, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"

/** The call could not do its work; the message says what and where. */
export class CallFailed extends Schema.TaggedError<CallFailed>()("CallFailed", { message: Schema.String }) {}

/** The call may not do this in any mode. */
export class CallDenied extends Schema.TaggedError<CallDenied>()("CallDenied", { message: Schema.String }) {}

export type CallFailure = CallFailed | CallDenied

export const failed = (message: string): Effect.Effect<never, CallFailed> =>
  Effect.fail(new CallFailed({ message }))

/** For `Effect.mapError`: `cannot write /a/b: permission denied`. */
export const because =
  (what: string) =>
  (error: PlatformError): CallFailed =>
    new CallFailed({ message: `${what}: ${PlatformFault.describe(error)}` })

/** Errors as the results they are. */
export const answer = <R>(
  effect: Effect.Effect<ToolResult.ToolResult, CallFailure, R>
): Effect.Effect<ToolResult.ToolResult, never, R> =>
  Effect.catchTags(effect, {
    CallFailed: ({ message }) => Effect.succeed(ToolResult.failed(message)),
    CallDenied: ({ message }) => Effect.succeed(ToolResult.denied(message))
  })
