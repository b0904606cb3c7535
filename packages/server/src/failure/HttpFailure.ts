/**
 * A request that is answered with an error: a code, whose status is `FailureCode`, and one line for people. The body
 * is always `{"error": {"code", "message"}}`; it holds no stack and no path of Cow's own files. What a route says of
 * its errors in the API is `FailureSchema`.
 */
import * as Data from "effect/Data"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type FailureCode, statusOf } from "./FailureCode.ts"

/** Its code is part of its type: a handler cannot fail with what its endpoint does not list. */
export class HttpFailure<out Code extends FailureCode = FailureCode> extends Data.TaggedError("HttpFailure")<{
  readonly code: FailureCode
  readonly message: string
}> {
  declare readonly code: Code
}

/** `allow`: the methods a 405 names. */
export const toResponse = ({ code, message }: HttpFailure, allow?: string) =>
  HttpServerResponse.jsonUnsafe(
    { error: { code, message } },
    {
      status: statusOf[code],
      headers: {
        ...(allow === undefined ? {} : { allow }),
        ...(code === "unauthorized" ? { "www-authenticate": "Bearer" } : {})
      }
    }
  )

const of =
  <Code extends FailureCode>(code: Code) =>
  (message: string) =>
    new HttpFailure<Code>({ code, message })

export const badHost = of("bad_host")
export const forbiddenOrigin = of("forbidden_origin")
export const unauthorized = of("unauthorized")
export const notFound = of("not_found")
export const methodNotAllowed = of("method_not_allowed")
export const badJson = of("bad_json")
export const bodyTooLarge = of("body_too_large")
export const unsupportedMediaType = of("unsupported_media_type")
export const invalidBody = of("invalid_body")
export const invalidQuery = of("invalid_query")
export const internal = of("internal")("something went wrong inside; the log of `cow serve` says what")

export const runNotFound = (id: string) => of("run_not_found")(`no run has the id ${id}`)
export const sessionNotFound = (id: string) => of("session_not_found")(`no session has the id ${id}`)
export const personaNotFound = (id: string) => of("persona_not_found")(`no persona has the id ${id}`)
export const runTerminal = of("run_terminal")
/** The run stands where the request cannot reach it: it waits for an approval, or another process works on it. */
export const runNotActive = of("run_not_active")
export const invalidApproval = of("invalid_approval")
export const sessionBusy = of("session_busy")
