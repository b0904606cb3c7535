/**
 * The HTTP API as one function from `Request` to `Response`. Checks come in a fixed order: host and origin, token,
 * path, method, body, and then what the endpoint itself says. Listening on a port is the caller's.
 */
import type { Agent } from "@cow/agent"
import type { Events, Models, PersonaStore, RunStore, SessionStore, ToolServers } from "@cow/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Api } from "./Api.ts"
import * as AccessCheck from "./access/AccessCheck.ts"
import * as HttpFailure from "./failure/HttpFailure.ts"
import { internalFailure } from "./failure/InternalFailure.ts"
import * as Paths from "./request/Paths.ts"
import { RequestGuard } from "./request/RequestGuard.ts"
import { ActiveRuns } from "./runs/ActiveRuns.ts"
import * as RunHandlers from "./runs/RunHandlers.ts"
import { CurrentSettings, type ServerSettings } from "./ServerSettings.ts"
import * as ServiceHandlers from "./service/ServiceHandlers.ts"

export type Handler = (request: Request) => Promise<Response>

type Services = Agent | Models | RunStore | SessionStore | Events | ToolServers | PersonaStore

const endpoints = (settings: ServerSettings) =>
  HttpApiBuilder.layer(Api).pipe(
    Layer.provide([RunHandlers.layer, ServiceHandlers.layer]),
    Layer.provide([
      ActiveRuns.layer,
      RequestGuard.layer,
      Layer.succeed(CurrentSettings, settings),
      HttpServer.layerServices
    ])
  )

/**
 * The handler. Closing the scope cancels the runs that are under way and waits for their end.
 *
 * Answers can be silent for long: whoever listens must set no idle time-out.
 */
export const makeHandler = (
  settings: ServerSettings
): Effect.Effect<Handler, AccessCheck.TokenRequired, Services | Scope.Scope> =>
  Effect.gen(function* () {
    const refused = AccessCheck.startRefusal(settings)
    if (refused !== null) return yield* refused
    const router = yield* Effect.provideService(
      HttpRouter.toHttpEffect(endpoints(settings)),
      HttpRouter.RouterConfig,
      Paths.routing
    )
    const context = yield* Effect.context<never>()
    const toHandler = HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(
      context
    )
    return toHandler(answer(settings, router))
  })

/** Without a header, what the request itself is addressed to. */
const hostOf = ({ headers, source }: HttpServerRequest.HttpServerRequest): string =>
  headers.host ?? URL.parse((source as Request).url)?.host ?? ""

const answer = <E, R>(settings: ServerSettings, router: Effect.Effect<HttpServerResponse, E, R>) => {
  const missed = Paths.make(Api)

  const notAnswered = (request: HttpServerRequest.HttpServerRequest, cause: Cause.Cause<E>) => {
    const failure: unknown = cause.reasons.find(Cause.isFailReason)?.error
    if (HttpServerError.isHttpServerError(failure) && failure.reason._tag === "RouteNotFound")
      return Effect.succeed(missed(request.url))
    if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
    return Effect.catch(internalFailure(cause), (failure) => Effect.succeed<Paths.Missed>({ failure }))
  }

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const refusal = AccessCheck.refusal(settings, {
      host: hostOf(request),
      origin: request.headers.origin,
      authorization: request.headers.authorization
    })
    if (refusal !== null) return HttpFailure.toResponse(refusal)
    if (Paths.hasEmptyPart(request.url)) return HttpFailure.toResponse(missed(request.url).failure)
    return yield* Effect.catchCause(router, (cause) =>
      Effect.map(notAnswered(request, cause), ({ allow, failure }) => HttpFailure.toResponse(failure, allow))
    )
  })
}
