/**
 * What a foreign error says, brought to one form: HTTP status, the provider's own type and code, message, headers.
 * Takes AI SDK errors, error events inside a stream, and what `fetch` throws. What it means is `ModelErrorDecoder`.
 */

import { JsonValue } from "@cow/core"
import { said } from "./ReceivedText.ts"

/** `local`: the request was never sent, by our own or the SDK's judgement. `network`: no whole answer came back. */
type ErrorOrigin = "answer" | "network" | "local"

export interface ErrorFacts {
  readonly origin: ErrorOrigin
  readonly status?: number
  /** The provider's word for the kind of error, as in `overloaded_error`. */
  readonly type?: string
  readonly code?: string
  readonly message: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Structured additions of the provider (Google's `details`). */
  readonly details: ReadonlyArray<unknown>
}

type Dictionary = Readonly<Record<string, unknown>>

const httpStatus = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isInteger(number) && number >= 400 && number <= 599
    ? number
    : undefined
}

/** The innermost error object of a payload: `{error: {…}}`, `{response: {error}}`, `[{error}]`, or itself. */
const payloadOf = (value: unknown): Dictionary | undefined => {
  if (Array.isArray(value)) return payloadOf(value[0])
  if (!JsonValue.isObject(value)) return undefined
  if (JsonValue.isObject(value.error)) return payloadOf(value.error)
  if (typeof value.error === "string") return { ...value, message: value.error }
  if (JsonValue.isObject(value.response) && JsonValue.isObject(value.response.error))
    return value.response.error
  if (JsonValue.isObject(value.data) && value.message === undefined) return payloadOf(value.data)
  return said(value.message) === undefined ? undefined : value
}

const parse = (body: unknown): unknown => {
  if (typeof body !== "string") return body
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined // not JSON: the caller takes the text itself
  }
}

/** The text of a body that is no JSON, unless it is a page. */
const plainBody = (body: unknown): string | undefined =>
  typeof body === "string" && !/^\s*[<{[]/.test(body) ? said(body) : undefined

const localErrors = new Set([
  "AI_InvalidArgumentError",
  "AI_InvalidPromptError",
  "AI_LoadAPIKeyError",
  "AI_LoadSettingError",
  "AI_NoSuchModelError",
  "AI_UnsupportedFunctionalityError",
  "AI_NoSuchProviderReferenceError"
])

/** Message of the deepest cause; the outer ones only say that something failed. */
const rootMessage = (error: Error): string => {
  let current = error
  for (let depth = 0; depth < 8 && current.cause instanceof Error; depth++) current = current.cause
  return current.message || current.name
}

const fromPayload = (
  payload: Dictionary,
  status: number | undefined
): Omit<ErrorFacts, "origin" | "headers"> => {
  const code = typeof payload.code === "number" ? String(payload.code) : said(payload.code)
  const type = said(payload.type) ?? said(payload.status)
  const found = status ?? httpStatus(payload.statusCode) ?? httpStatus(payload.code)
  return {
    message: said(payload.message) ?? type ?? code ?? "the provider gave no reason",
    details: Array.isArray(payload.details) ? payload.details : [],
    ...(found === undefined ? {} : { status: found }),
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code })
  }
}

const lowerCase = (headers: unknown): Readonly<Record<string, string>> =>
  JsonValue.isObject(headers)
    ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
    : {}

const fromApiCall = (error: Error & Dictionary): ErrorFacts => {
  const status = httpStatus(error.statusCode)
  if (status === undefined)
    return { origin: "network", message: rootMessage(error), headers: {}, details: [] }
  const payload = payloadOf(parse(error.responseBody))
  const facts =
    payload === undefined
      ? {
          status,
          details: [],
          message: plainBody(error.responseBody) ?? said(error.message) ?? `status ${status}`
        }
      : fromPayload(payload, status)
  return { origin: "answer", headers: lowerCase(error.responseHeaders), ...facts }
}

/** True for a stream event of a shape nobody knows that is no error either: it can be left out. */
export const isUnknownEvent = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === "AI_TypeValidationError" &&
  payloadOf((error as Error & { readonly value?: unknown }).value) === undefined

export const collect = (error: unknown): ErrorFacts => {
  if (error instanceof Error) {
    const open = error as Error & Dictionary
    if ("statusCode" in open || error.name === "AI_APICallError") return fromApiCall(open)
    const value = error.name === "AI_TypeValidationError" ? payloadOf(open.value) : undefined
    if (value !== undefined) return { origin: "answer", headers: {}, ...fromPayload(value, undefined) }
    const local = localErrors.has(error.name) || open.code === "ERR_INVALID_URL"
    return { origin: local ? "local" : "network", message: rootMessage(error), headers: {}, details: [] }
  }
  const payload = payloadOf(error)
  if (payload !== undefined) return { origin: "answer", headers: {}, ...fromPayload(payload, undefined) }
  const message = said(error) ?? "the provider reported an error without a message"
  const status = httpStatus(/^(\d{3})\b/.exec(message)?.[1])
  return { origin: "answer", message, headers: {}, details: [], ...(status === undefined ? {} : { status }) }
}
