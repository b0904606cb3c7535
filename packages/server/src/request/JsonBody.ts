/**
 * The body of a request on its way to the endpoint that decodes it: bounded, UTF-8, and of a kind that can be JSON.
 * Whether it has the endpoint's shape is the API's; what a wrong shape is answered with is `RequestGuard`.
 */

import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpFailure from "../failure/HttpFailure.ts"

/** As long as a prompt on standard input may be. */
const maxBodyBytes = 10 * 1024 * 1024

/** What clients say that were told nothing of the body's type: `fetch` with a text, `curl -d`. */
const unnamed = ["", "text/plain", "application/x-www-form-urlencoded"]

const isJsonType = (type: string): boolean =>
  unnamed.includes(type) || /^application\/([a-z0-9.-]+\+)?json$/.test(type)

const utf8 = /^utf-?8$/i

/** Null: the body can be read. */
const refusedType = ({ headers }: HttpServerRequest): string | null => {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").split(";").map((part) => part.trim())
  if (!isJsonType(type.toLowerCase())) return `content-type: ${type} is not application/json`
  const charset = parameters
    .map((one) => /^charset="?([^"]*)"?$/i.exec(one)?.[1])
    .find((one) => one !== undefined)
  if (charset !== undefined && !utf8.test(charset))
    return `content-type: the charset must be utf-8, not ${charset}`
  const encoding = headers["content-encoding"] ?? "identity"
  return /^identity$/i.test(encoding) ? null : `content-encoding: ${encoding} is not taken`
}

const tooLarge = HttpFailure.bodyTooLarge(`the body is longer than ${maxBodyBytes / 1024 / 1024} MiB`)

interface Received {
  /** Its text is read already, and its type is `application/json`, whatever the client called it. */
  readonly request: HttpServerRequest
  readonly text: string
}

export const receive = Effect.fnUntraced(function* (original: HttpServerRequest) {
  const refused = refusedType(original)
  if (refused !== null) return yield* HttpFailure.unsupportedMediaType(refused)
  if (Number(original.headers["content-length"] ?? 0) > maxBodyBytes) return yield* tooLarge
  const request = original.modify({
    headers: Headers.set(original.headers, "content-type", "application/json")
  })
  const bytes = yield* request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBodyBytes)),
    Effect.mapError(({ reason }) =>
      reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
        ? tooLarge
        : HttpFailure.badJson("the body could not be read")
    )
  )
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => HttpFailure.badJson("the body is not UTF-8")
  })
  return { request, text } satisfies Received
})

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    // Told to the client as `bad_json`.
    return false
  }
}
