/**
 * A route as data: what it matches, what it answers, what the OpenAPI document says of it. Finding the route of a
 * request is here; what routes there are is in `RunRoutes` and `ServiceRoutes`.
 */
import type * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as HttpFailure from "./HttpFailure.ts"
import * as JsonBody from "./JsonBody.ts"

export interface RouteInput {
  readonly request: HttpServerRequest
  /** The parts of the path in braces, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

/** The scope is the request's: it closes when the answer is sent to its end, or the client is gone. */
export type RouteEffect = Effect.Effect<HttpServerResponse, HttpFailure.HttpFailure, Scope.Scope>

export interface Answer {
  readonly status: number
  readonly description: string
  /** JSON unless told. */
  readonly contentTypes?: ReadonlyArray<string>
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** As in OpenAPI: `/api/runs/{id}`. */
  readonly path: `/${string}`
  readonly summary: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Schema.ConstraintDecoder<unknown>
  readonly ok: Answer
  /** Codes by status, those that every route has left out. */
  readonly errors: Readonly<Record<number, ReadonlyArray<string>>>
  readonly handle: (input: RouteInput) => RouteEffect
}

/** Reads and checks the body before anything else is done. */
export const withBody = <Body>(
  body: Schema.ConstraintDecoder<Body>,
  handle: (input: RouteInput & { readonly body: Body }) => RouteEffect
): Pick<Route, "body" | "handle"> => ({
  body,
  handle: (input) => JsonBody.decoded(body, input.request, (decoded) => handle({ ...input, body: decoded }))
})

export interface Found {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

export interface Missed {
  readonly failure: HttpFailure.HttpFailure
  /** The methods the path has, for a 405. */
  readonly allow?: string
}

const decode = (part: string): string | null => {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

const match = (pattern: string, path: string): Readonly<Record<string, string>> | null => {
  const [wanted, given] = [pattern.split("/"), path.split("/")]
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? ""
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined) {
      if (part !== value) return null
      continue
    }
    const decoded = decode(value)
    if (decoded === null || decoded === "") return null
    params[name] = decoded
  }
  return params
}

/** HEAD is answered as GET. */
export const find = (
  routes: ReadonlyArray<Route>,
  method: string,
  path: string
): Result.Result<Found, Missed> => {
  const here = routes.flatMap((route): ReadonlyArray<Found> => {
    const params = match(route.path, path)
    return params === null ? [] : [{ route, params }]
  })
  if (here.length === 0)
    return Result.fail({ failure: HttpFailure.notFound("there is nothing at this path; see /openapi.json") })
  const wanted = method === "HEAD" ? "GET" : method
  const found = here.find(({ route }) => route.method === wanted)
  if (found !== undefined) return Result.succeed(found)
  const allow = here.map(({ route }) => route.method).join(", ")
  return Result.fail({ failure: HttpFailure.methodNotAllowed(`this path takes ${allow}`), allow })
}
