/** Answers about the server itself. Waits for no MCP server. */
import { ToolServers } from "@cow/core"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../Api.ts"
import * as ApiDocument from "../ApiDocument.ts"
import { CurrentSettings } from "../ServerSettings.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "service",
  Effect.fnUntraced(function* (handlers) {
    const servers = yield* ToolServers
    const { version } = yield* CurrentSettings
    // Made for the first who asks.
    const document = yield* Effect.cached(
      Effect.sync(() => HttpServerResponse.jsonUnsafe(ApiDocument.make(Api, version)))
    )
    return handlers.handleAll({
      health: () =>
        Effect.map(servers.list, (list) => ({
          status: "ok" as const,
          version,
          mcp: list.map(({ name, state }) => ({ server: name, status: state }))
        })),
      document: () => document
    })
  })
)
