/** The endpoints about the server itself: is it there, and what does it offer. What they do is `ServiceHandlers`. */
import { ServerState } from "@cow/core"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { failures } from "../failure/FailureSchema.ts"

const Health = Schema.Struct({
  status: Schema.Literal("ok"),
  version: Schema.String,
  mcp: Schema.Array(Schema.Struct({ server: Schema.String, status: ServerState }))
}).annotate({ description: "The server's version, and each MCP server's state" })

const health = HttpApiEndpoint.get("health", "/healthz", { success: Health, error: failures() }).annotate(
  OpenApi.Summary,
  "That the server answers, and how the MCP servers stand. Waits for none of them."
)

const document = HttpApiEndpoint.get("document", "/openapi.json", {
  success: Schema.Record(Schema.String, Schema.Json).annotate({ description: "An OpenAPI 3.1 document" }),
  error: failures()
}).annotate(OpenApi.Summary, "This description")

export const ServiceGroup = HttpApiGroup.make("service")
  .add(health)
  .add(document)
  .annotate(OpenApi.Description, "The server itself")
