/**
 * The HTTP API as one function from `Request` to `Response`. Checks come in a fixed order: host and origin, token,
 * path, method, body, and then what the route itself says. Listening on a port is the caller's.
 */
import type { Agent } from "@cow/agent"
import type { Events, Models, RunStore, SessionStore, ToolServers } from "@cow/core"
import type { PersonaStore } from "@cow/policy"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as AccessCheck from "./AccessCheck.ts"
import * as ActiveRuns from "./ActiveRuns.ts"
import * as HttpFailure from "./HttpFailure.ts"
import { internalFailure } from "./InternalFailure.ts"
import * as Route from "./Route.ts"
import * as RunRoutes from "./RunRoutes.ts"
import type { ServerSettings } from "./ServerSettings.ts"
import * as ServiceRoutes from "./ServiceRoutes.ts"

export type Handler = (request: Request) => Promise<Response>

type Services = Agent | Models | RunStore | SessionStore | Events | ToolServers | PersonaStore

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
    const active = yield* ActiveRuns.make
    const runRoutes = yield* RunRoutes.make(settings, active)
    const routes = [...(yield* ServiceRoutes.make(settings, runRoutes)), ...runRoutes]
    const context = yield* Effect.context<never>()
    const toHandler = HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(
      context
    )
    return toHandler(answer(settings, routes))
  })

const answer = (settings: ServerSettings, routes: ReadonlyArray<Route.Route>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const url = new URL((request.source as Request).url)
    const refusal = AccessCheck.refusal(settings, {
      host: request.headers.host ?? url.host,
      origin: request.headers.origin,
      authorization: request.headers.authorization
    })
    if (refusal !== null) return HttpFailure.toResponse(refusal)
    const found = Route.find(routes, request.method, url.pathname)
    if (Result.isFailure(found)) return HttpFailure.toResponse(found.failure.failure, found.failure.allow)
    const { params, route } = found.success
    return yield* route.handle({ request, params, query: url.searchParams }).pipe(
      Effect.catchCause((cause) => {
        const failure = cause.reasons.find(Cause.isFailReason)?.error
        if (failure !== undefined) return Effect.fail(failure)
        return Cause.hasInterrupts(cause) ? Effect.failCause(cause) : internalFailure(cause)
      }),
      Effect.catchTag("HttpFailure", (failure) => Effect.succeed(HttpFailure.toResponse(failure)))
    )
  })
