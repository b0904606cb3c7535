/**
 * How a built-in call fails or is refused, as errors of its Effect, and the one place where errors of the platform
 * become words. What a call ends with for the model is core's `ToolResult`.
 */
import { ToolResult } from "@cow/core"
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

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EEXIST: "it exists already",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is a file, not a folder",
  ELOOP: "the link leads back to itself",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  ENAMETOOLONG: "the name is too long"
}

const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined

/** Why the platform refused, in a few words. */
export const describe = (error: PlatformError): string => {
  const code = codeOf("cause" in error.reason ? error.reason.cause : undefined)
  return (code === undefined ? undefined : (reasons[code] ?? code)) ?? error.reason.message
}

/** For `Effect.mapError`: `cannot write /a/b: permission denied`. */
export const because =
  (what: string) =>
  (error: PlatformError): CallFailed =>
    new CallFailed({ message: `${what}: ${describe(error)}` })

/** Errors as the results they are. */
export const answer = <R>(
  effect: Effect.Effect<ToolResult.ToolResult, CallFailure, R>
): Effect.Effect<ToolResult.ToolResult, never, R> =>
  Effect.catchTags(effect, {
    CallFailed: ({ message }) => Effect.succeed(ToolResult.failed(message)),
    CallDenied: ({ message }) => Effect.succeed(ToolResult.denied(message))
  })
