#!/usr/bin/env bun
/**
 * Drives Cow's connection layer through one scenario of `@modelcontextprotocol/conformance`: connect, log in, list,
 * call. Only the edges are replaced: tokens live in memory, the browser is a GET, forms are answered here.
 *
 *   bun tests/conformance/driver.ts URL      (the scenario is named by the environment)
 */
import {
  CallFailed,
  type Connection,
  Elicitor,
  HttpConnection,
  LoginRefused,
  ServerRequests,
  TokenStore,
  type UserAgent
} from "@cow/mcp"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

const url = process.argv[2] ?? ""
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ""
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? ""
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as {
  readonly client_id?: string
  readonly client_secret?: string
  readonly toolCalls?: ReadonlyArray<{
    readonly name: string
    readonly arguments?: Record<string, Schema.Json>
  }>
}
const isModern = revision >= "2026-07-28"
const redirectUrl = "http://localhost:3000/callback"

const browser: UserAgent = {
  redirectUrl,
  visit: (address) =>
    Effect.tryPromise({
      try: async () => {
        const location = (await fetch(address, { redirect: "manual" })).headers.get("location")
        if (location === null) throw new Error("the authorization server does not redirect")
        return new URL(location, address).searchParams
      },
      catch: (error) => new LoginRefused({ message: String(error) })
    })
}

const elicitor = {
  ask: () => Effect.succeed({ _tag: "Accepted" as const, content: isModern ? { confirmed: true } : {} })
}

const inputOf = (tool: string): Record<string, Schema.Json> => {
  if (tool === "add_numbers") return { a: 5, b: 3 }
  return scenario === "http-invalid-tool-headers" ? { region: "us-west1" } : {}
}

/** In these one call that fails must not stop the others. */
const goesOn = scenario === "sep-2322-client-request-state" || scenario === "http-invalid-tool-headers"

const callTools = Effect.fnUntraced(function* (connection: Connection) {
  const { tools } = yield* connection.listTools
  if (scenario === "json-schema-ref-no-deref") return
  const calls = context.toolCalls ?? tools.map(({ name }) => ({ name, arguments: inputOf(name) }))
  for (const { name, arguments: input = {} } of calls) {
    const call = connection.callTool(name, input)
    yield* goesOn ? Effect.catch(call, ({ message }) => Effect.logWarning(`${name}: ${message}`)) : call
  }
})

const first = (list: unknown, kind: "resources" | "prompts"): Record<string, string> | undefined =>
  (list as Record<string, ReadonlyArray<Record<string, string>>>)[kind]?.[0]

const readOthers = Effect.fnUntraced(
  function* (connection: Connection) {
    const resource = first(yield* connection.request("resources/list", {}), "resources")
    if (resource !== undefined) yield* connection.request("resources/read", { uri: resource.uri ?? "" })
    const prompt = first(yield* connection.request("prompts/list", {}), "prompts")
    if (prompt !== undefined)
      yield* connection.request("prompts/get", { name: prompt.name ?? "", arguments: {} })
  },
  Effect.catchIf(
    (error) => error instanceof CallFailed && error.code === -32601,
    () => Effect.void
  )
)

const main = Effect.scoped(
  Effect.gen(function* () {
    const store = yield* TokenStore
    const client =
      context.client_id === undefined
        ? undefined
        : { client_id: context.client_id, client_secret: context.client_secret }
    const connection = yield* HttpConnection.connect(
      { _tag: "Http", url, headers: {}, mode: "streamable" },
      {
        server: "conformance",
        protocol: isModern ? "auto" : revision,
        connectTimeoutSeconds: 15,
        requests: yield* ServerRequests.make("conformance"),
        login: {
          store,
          userAgent: browser,
          client: {
            redirectUrl,
            clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
            client
          }
        }
      }
    )
    yield* callTools(connection)
    if (scenario === "http-standard-headers") yield* readOthers(connection)
  })
).pipe(Effect.provide(TokenStore.layerMemory), Effect.provideService(Elicitor, elicitor))

const outcome = await Effect.runPromise(Effect.result(main))
if (outcome._tag === "Failure") {
  console.error(outcome.failure.message)
  process.exitCode = 1
}
