/**
 * A request that is answered with an error: status, code, one line for people. The body is always
 * `{"error": {"code", "message"}}`; it holds no stack and no path of Cow's own files.
 */

import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"

export class HttpFailure extends Schema.TaggedError<HttpFailure>()("HttpFailure", {
  status: Schema.Number,
  code: Schema.String,
  message: Schema.String
}) {}

/** `allow`: the methods a 405 names. */
export const toResponse = ({ code, message, status }: HttpFailure, allow?: string) =>
  HttpServerResponse.jsonUnsafe(
    { error: { code, message } },
    { status, headers: allow === undefined ? {} : { allow } }
  )

const make = (status: number, code: string) => (message: string) => new HttpFailure({ status, code, message })

export const forbiddenOrigin = make(403, "forbidden_origin")
export const unauthorized = make(401, "unauthorized")
export const notFound = make(404, "not_found")
export const methodNotAllowed = make(405, "method_not_allowed")
export const badJson = make(400, "bad_json")
export const bodyTooLarge = make(413, "body_too_large")("the body is longer than 10 MiB")
export const invalidBody = make(422, "invalid_body")
export const invalidQuery = make(422, "invalid_query")
export const internal = make(500, "internal")("something went wrong inside; the log of `cow serve` says what")

export const runNotFound = (id: string) => make(404, "run_not_found")(`no run has the id ${id}`)
export const sessionNotFound = (id: string) => make(404, "session_not_found")(`no session has the id ${id}`)
export const personaNotFound = (id: string) => make(404, "persona_not_found")(`no persona has the id ${id}`)
export const runTerminal = make(409, "run_terminal")
/** The run stands where the request cannot reach it: it waits for an approval, or another process works on it. */
export const runNotActive = make(409, "run_not_active")
export const invalidApproval = make(409, "invalid_approval")
export const sessionBusy = make(409, "session_busy")
