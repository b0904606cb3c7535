/**
 * The tools `mcp_resources` and `mcp_prompts`: what servers offer beside tools, for a model. Each is in the table only
 * while a server that is ready has something for it, and shows a persona only servers that it may use.
 *
 * What is asked and how it is told is `ServerExtras`; who is ready is `ServerFleet`.
 */
import type { Audience, Message } from "@cow/core"
import { Audience as Audiences, Tool, ToolResult } from "@cow/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as ServerExtras from "./ServerExtras.ts"

/** A server that is ready. A request fails with what the model is told. */
export interface ExtraServer {
  readonly name: string
  readonly audience: Audience.Audience
  readonly extras: ServerExtras.Extras
  readonly ask: ServerExtras.Ask<ToolResult.ToolResult>
}

type Kind = keyof ServerExtras.Extras
type Servers = Effect.Effect<ReadonlyArray<ExtraServer>>

const textField = (description: string) => ({ type: "string", description })

const schemaOf = (properties: Message.JsonObject): Message.JsonObject => ({
  type: "object",
  properties: { server: textField("Name of the MCP server"), ...properties },
  additionalProperties: false
})

/** What this persona may use of it, by name. */
const usable = (servers: Servers, kind: Kind, persona: string, wanted: Schema.Json | undefined) =>
  Effect.map(servers, (all) =>
    all
      .filter(({ audience, extras }) => extras[kind] && Audiences.includes(audience, persona))
      .filter(({ name }) => wanted === undefined || name === wanted)
      .sort((left, right) => (left.name < right.name ? -1 : 1))
  )

const missing = (kind: Kind, wanted: Schema.Json | undefined): ToolResult.ToolResult =>
  ToolResult.failed(
    wanted === undefined
      ? `No MCP server that you may use has ${kind}.`
      : `No MCP server "${wanted}" that you may use has ${kind}.`
  )

/** One server's list, or why there is none. */
const sectionOf = (
  server: ExtraServer,
  methods: ReadonlyArray<ServerExtras.ListMethod>,
  line: (item: Message.JsonObject) => string
) =>
  Effect.forEach(methods, (method) => Effect.result(ServerExtras.list(server.ask, method))).pipe(
    Effect.map((lists) => {
      const lines = lists.flatMap((one) => (Result.isSuccess(one) ? one.success.map(line) : []))
      const [first] = lists
      const fault = first !== undefined && Result.isFailure(first) ? ToolResult.textOf(first.failure) : "none"
      return [
        `Server ${server.name}:`,
        ...(lines.length > 0 ? lines.map((one) => `- ${one}`) : [fault])
      ].join("\n")
    })
  )

const listing = (
  servers: ReadonlyArray<ExtraServer>,
  methods: ReadonlyArray<ServerExtras.ListMethod>,
  line: (item: Message.JsonObject) => string
): Effect.Effect<ToolResult.ToolResult> =>
  Effect.forEach(servers, (server) => sectionOf(server, methods, line), { concurrency: "unbounded" }).pipe(
    Effect.map((sections) => ToolResult.ok(sections.join("\n\n")))
  )

/** The one server that is meant; a model that names none means the only one. */
const theOne = (servers: ReadonlyArray<ExtraServer>): Result.Result<ExtraServer, ToolResult.ToolResult> => {
  const [first, second] = servers
  return first !== undefined && second === undefined
    ? Result.succeed(first)
    : Result.fail(
        ToolResult.failed(`Say which server: one of ${servers.map(({ name }) => name).join(", ")}.`)
      )
}

const single = (
  servers: ReadonlyArray<ExtraServer>,
  use: (server: ExtraServer) => Effect.Effect<ToolResult.ToolResult, ToolResult.ToolResult>
): Effect.Effect<ToolResult.ToolResult> =>
  Effect.fromResult(theOne(servers)).pipe(
    Effect.flatMap(use),
    Effect.catch((told) => Effect.succeed(told))
  )

const resources = (servers: Servers): Tool.Tool =>
  Tool.make({
    name: "mcp_resources",
    description:
      "Resources of MCP servers: documents and data that a server offers to be read. Without uri: lists them, and templates of uris ({name} stands for what is filled in). With server and uri: reads one.",
    inputSchema: schemaOf({ uri: textField("The resource to read, from the list or by a template") }),
    parallelSafe: true,
    // A request keeps the server's own limits.
    timeout: Duration.infinity,
    run: ({ server, uri }, { persona }) =>
      Effect.flatMap(usable(servers, "resources", persona, server), (found) => {
        if (found.length === 0) return Effect.succeed(missing("resources", server))
        return typeof uri === "string"
          ? single(found, ({ ask }) =>
              Effect.map(ask("resources/read", { uri }), ServerExtras.resourceContent)
            )
          : listing(found, ["resources/list", "resources/templates/list"], ServerExtras.resourceLine)
      })
  })

const prompts = (servers: Servers): Tool.Tool =>
  Tool.make({
    name: "mcp_prompts",
    description:
      "Prompts of MCP servers: texts for a task, prepared by a server, with blanks to fill in. Without name: lists them with their arguments (? may be left out). With server, name and arguments: gives one.",
    inputSchema: schemaOf({
      name: textField("The prompt to get"),
      arguments: {
        type: "object",
        additionalProperties: { type: "string" },
        description: "Its blanks, by name"
      }
    }),
    parallelSafe: true,
    // A request keeps the server's own limits.
    timeout: Duration.infinity,
    run: ({ arguments: given, name, server }, { persona }) =>
      Effect.flatMap(usable(servers, "prompts", persona, server), (found) => {
        if (found.length === 0) return Effect.succeed(missing("prompts", server))
        return typeof name === "string"
          ? single(found, ({ ask }) =>
              Effect.map(ask("prompts/get", { name, arguments: given ?? {} }), ServerExtras.promptContent)
            )
          : listing(found, ["prompts/list"], ServerExtras.promptLine)
      })
  })

/** The two tools over the servers that are ready when a call is made; `now` gives those there is something for. */
export const make = (servers: Servers) => {
  const [ofResources, ofPrompts] = [resources(servers), prompts(servers)]
  return (extras: Iterable<ServerExtras.Extras>): ReadonlyArray<Tool.Tool> => {
    const all = [...extras]
    return [
      ...(all.some((one) => one.prompts) ? [ofPrompts] : []),
      ...(all.some((one) => one.resources) ? [ofResources] : [])
    ]
  }
}
