/**
 * What stands between the router and every endpoint: the body is received, and whatever goes wrong is an answer with
 * a code. Who may ask at all is `AccessCheck`; which endpoint it is, the router's.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as Layer from "effect/Layer"
import * as HttpFailure from "../failure/HttpFailure.ts"
import { internalFailure } from "../failure/InternalFailure.ts"
import * as JsonBody from "./JsonBody.ts"
import * as WrongShape from "./WrongShape.ts"

/** @param text the body, where there is one */
const ofSchema = ({ cause, kind }: HttpApiSchemaError, text: string) => {
  switch (kind) {
    case "Payload":
      return JsonBody.isJson(text)
        ? Effect.fail(HttpFailure.invalidBody(WrongShape.describe(cause.issue, "body")))
        : Effect.fail(HttpFailure.badJson(text === "" ? "the body is empty" : "the body is not JSON"))
    case "Query":
      return Effect.fail(HttpFailure.invalidQuery(WrongShape.describe(cause.issue, "query")))
    default:
      return internalFailure(cause)
  }
}

/** Failures that the endpoint declares pass: the API encodes them. */
const settled =
  (text: string) =>
  <E>(cause: Cause.Cause<E>): Effect.Effect<HttpServerResponse, E> => {
    const failure: unknown = cause.reasons.find(Cause.isFailReason)?.error
    if (HttpApiSchemaError.is(failure)) return answered(ofSchema(failure, text))
    if (failure instanceof HttpFailure.HttpFailure || Cause.hasInterrupts(cause))
      return Effect.failCause(cause)
    return answered(internalFailure(cause))
  }

const answered = <R>(effect: Effect.Effect<HttpServerResponse, HttpFailure.HttpFailure, R>) =>
  Effect.catch(effect, (failure) => Effect.succeed(HttpFailure.toResponse(failure)))

export class RequestGuard extends HttpApiMiddleware.Service<RequestGuard>()("@cow/server/RequestGuard") {
  static readonly layer: Layer.Layer<RequestGuard> = Layer.succeed(RequestGuard, (endpoint, about) =>
    about.endpoint.payload.size === 0
      ? Effect.catchCause(endpoint, settled(""))
      : Effect.flatMap(HttpServerRequest.HttpServerRequest, (original) =>
          Effect.matchEffect(JsonBody.receive(original), {
            onFailure: (failure) => Effect.succeed(HttpFailure.toResponse(failure)),
            onSuccess: ({ request, text }) =>
              endpoint.pipe(
                Effect.provideService(HttpServerRequest.HttpServerRequest, request),
                Effect.catchCause(settled(text))
              )
          })
        )
  )
}
