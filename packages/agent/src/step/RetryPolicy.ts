/**
 * Whether and when a failed model request is sent again. Pure.
 *
 * Overload and transport: after 2, 4 and 6 seconds. Rate limit: after 30, 45 and 60 seconds. What the provider asks
 * for beats both, unless it is longer than the run may wait. Everything else is final.
 */
import type { Model, ModelError } from "@cow/core"

export type RetryDecision =
  | { readonly _tag: "Retry"; readonly delayMillis: number; readonly reason: string }
  | { readonly _tag: "GiveUp"; readonly message: string }

const overloadSeconds = [2, 4, 6]
const rateLimitSeconds = [30, 45, 60]

const asked = (reason: Model.ModelErrorReason): number | undefined =>
  reason._tag === "RateLimited" || reason._tag === "Overloaded" ? reason.retryAfterMillis : undefined

/** @param attempt how many tries have failed, from 1 */
export const decide = (error: ModelError, attempt: number, maxWaitSeconds: number): RetryDecision => {
  const { reason } = error
  const giveUp = { _tag: "GiveUp", message: error.message } as const
  if (reason._tag === "InvalidRequest" && reason.pairing)
    return attempt === 1 ? { _tag: "Retry", delayMillis: 0, reason: error.message } : giveUp
  if (reason._tag !== "RateLimited" && reason._tag !== "Overloaded" && reason._tag !== "Transport")
    return giveUp
  const waits = reason._tag === "RateLimited" ? rateLimitSeconds : overloadSeconds
  const seconds = waits[attempt - 1]
  if (seconds === undefined) return giveUp
  const longest = maxWaitSeconds * 1000
  const wanted = asked(reason)
  // Cow's own waits are cut to the limit; before the time a provider names, trying is pointless.
  const delayMillis = wanted ?? Math.min(seconds * 1000, longest)
  if (delayMillis > longest) {
    const wait = Math.ceil(delayMillis / 1000)
    const message = `${error.message}; the provider asks to wait ${wait} s, longer than ${maxWaitSeconds} s (agent_max_retry_wait_seconds)`
    return { _tag: "GiveUp", message }
  }
  return { _tag: "Retry", delayMillis, reason: error.message }
}
