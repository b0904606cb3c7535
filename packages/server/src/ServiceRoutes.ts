/** The routes about the server itself: is it there, and what does it offer. */
import { ToolServers } from "@cow/core"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as OpenApi from "./OpenApi.ts"
import type { Route } from "./Route.ts"
import type { ServerSettings } from "./ServerSettings.ts"

/** `others`: the rest of the routes, for the document that describes them all. */
export const make = Effect.fnUntraced(function* (settings: ServerSettings, others: ReadonlyArray<Route>) {
  const servers = yield* ToolServers
  const routes: ReadonlyArray<Route> = [
    {
      method: "GET",
      path: "/healthz",
      summary: "That the server answers, and how the MCP servers stand. Waits for none of them.",
      ok: { status: 200, description: "`{status, version, mcp: [{server, status}]}`" },
      errors: {},
      handle: () =>
        Effect.map(servers.list, (list) =>
          HttpServerResponse.jsonUnsafe({
            status: "ok",
            version: settings.version,
            mcp: list.map(({ name, state }) => ({ server: name, status: state }))
          })
        )
    },
    {
      method: "GET",
      path: "/openapi.json",
      summary: "This description",
      ok: { status: 200, description: "An OpenAPI 3.1 document" },
      errors: {},
      handle: () => Effect.sync(() => HttpServerResponse.jsonUnsafe(document()))
    }
  ]
  const document = () => OpenApi.make([...routes, ...others], settings.version)
  return routes
})
