/**
 * Decodes whatever a model call can fail with into core's `ModelError`, once: by status, type and code first, by text
 * only for what has no code (`ErrorWording`). Trying again is the agent's.
 */
import { Excerpt, Model, Secrets } from "@cow/core"
import { collect, type ErrorFacts } from "./ErrorFacts.ts"
import { isOverflow, isPairing } from "./ErrorWording.ts"
import * as RetryAfter from "./RetryAfter.ts"

interface ErrorSource {
  readonly provider: string
  /** The address asked, for messages. */
  readonly baseUrl: string
  /** Where a key is set, for messages. */
  readonly keyPlace: string
  /** Texts that must not appear in any message. */
  readonly secrets: ReadonlyArray<string>
  /** Milliseconds since 1970. */
  readonly now: number
}

const maxMessageChars = 500

const overflowCodes = new Set(["context_length_exceeded", "request_too_large"])
const keyCodes = new Set([
  "authentication_error",
  "permission_error",
  "invalid_api_key",
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
  "API_KEY_INVALID"
])
const rateCodes = new Set(["rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED"])
const providerCodes = new Set([
  "overloaded_error",
  "api_error",
  "server_error",
  "internal_error",
  "internal_server_error",
  "service_unavailable",
  "UNAVAILABLE",
  "INTERNAL"
])
/** A 429 that waiting does not mend. */
const billingCodes = new Set(["insufficient_quota", "billing_error", "billing_hard_limit_reached"])

const codesOf = (facts: ErrorFacts): ReadonlyArray<string> =>
  [
    facts.code,
    facts.type,
    ...facts.details.map((detail) => (detail as { readonly reason?: unknown } | null)?.reason)
  ].filter((code): code is string => typeof code === "string")

const reasonOf = (facts: ErrorFacts, now: number): Model.ModelErrorReason => {
  const { status } = facts
  const codes = codesOf(facts)
  const has = (set: ReadonlySet<string>) => codes.some((code) => set.has(code))
  const wait = () => {
    const retryAfterMillis = RetryAfter.millis(facts.headers, facts.details, now)
    return retryAfterMillis === undefined ? {} : { retryAfterMillis }
  }
  if (facts.origin === "network") return new Model.Transport()
  if (facts.origin === "local") return new Model.InvalidRequest({ pairing: false })
  if (has(overflowCodes)) return new Model.ContextOverflow()
  if (has(billingCodes)) return new Model.InvalidRequest({ pairing: false })
  if (status === 401 || status === 403 || has(keyCodes)) return new Model.Unauthorized()
  if (status === 429 || (status === undefined && has(rateCodes))) return new Model.RateLimited(wait())
  if (status === 408) return new Model.Transport()
  if (status === undefined ? has(providerCodes) : status >= 500) return new Model.Overloaded(wait())
  if (isOverflow(facts.message)) return new Model.ContextOverflow()
  return new Model.InvalidRequest({ pairing: (status ?? 400) === 400 && isPairing(facts.message) })
}

/** Scheme, host and port; no user, no path that might hold a key. */
const placeOf = (baseUrl: string): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).origin : "its base_url"

/** The message with every secret replaced, on one line and of bounded length. */
export const clean = (message: string, secrets: ReadonlyArray<string>): string =>
  Excerpt.middle(Secrets.hide(message, secrets).replace(/\s+/g, " ").trim(), maxMessageChars, " … ")

/** What a failed connection means for the person, by the system's code. */
const connections: Partial<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there; is it running, and is base_url right?",
  ConnectionRefused: "nothing listens there; is it running, and is base_url right?",
  ENOTFOUND: "there is no host of that name; is base_url right?",
  EAI_AGAIN: "the name of the host cannot be looked up; is there a network?",
  ECONNRESET: "the connection was broken off",
  ETIMEDOUT: "it did not answer in time"
}

/** What came back over the network, in plain words where the code is known. */
const connectionOf = (facts: ErrorFacts): string => {
  const known = Object.keys(connections).find((code) => facts.code === code || facts.message.includes(code))
  return known === undefined ? facts.message : `${connections[known]} (${known})`
}

/** What a person does next about a status. */
const nextOf = (status: number | undefined): string => {
  if (status === 404) return "; is base_url right, and does it have this model?"
  return status !== undefined && status >= 500 ? "; the fault is on its side, try again later" : ""
}

const messageOf = (reason: Model.ModelErrorReason, facts: ErrorFacts, source: ErrorSource): string => {
  const { provider } = source
  const kind = [facts.status, facts.type ?? facts.code].filter((part) => part !== undefined).join(" ")
  const said = kind === "" || facts.message === kind ? facts.message : `${kind}: ${facts.message}`
  switch (reason._tag) {
    case "Unauthorized":
      return `${provider} refused the key (${said}); set ${source.keyPlace}`
    case "Transport":
      return facts.status === undefined
        ? `no whole answer from ${provider} at ${placeOf(source.baseUrl)}: ${connectionOf(facts)}`
        : `${provider} answered ${said}`
    default:
      return facts.origin === "local"
        ? `the request to ${provider} could not be made: ${facts.message}`
        : `${provider} at ${placeOf(source.baseUrl)} answered ${said}${nextOf(facts.status)}`
  }
}

export const decode = (error: unknown, source: ErrorSource): Model.ModelError => {
  const facts = collect(error)
  const reason = reasonOf(facts, source.now)
  return new Model.ModelError({
    reason,
    message: clean(messageOf(reason, facts, source), source.secrets),
    ...(facts.status === undefined ? {} : { status: facts.status })
  })
}

/** The stream ended without a finish reason. */
export const endedEarly = (source: Pick<ErrorSource, "provider">): Model.ModelError =>
  new Model.ModelError({
    reason: new Model.Transport(),
    message: `the stream of ${source.provider} ended early, without a finish reason`
  })

/** No key is set. */
export const keyMissing = (source: Pick<ErrorSource, "provider" | "keyPlace">): Model.ModelError =>
  new Model.ModelError({
    reason: new Model.Unauthorized(),
    message: `no key for ${source.provider}: set ${source.keyPlace}`
  })
