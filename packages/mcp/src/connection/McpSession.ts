/**
 * The MCP client (`@modelcontextprotocol/client`) over one transport: handshake, lists, calls, and what it answers
 * the server. The client is loaded here, and only when a server is started.
 */
import type { Client, StandardSchemaV1, Transport } from "@modelcontextprotocol/client"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { isObject } from "../config/ServerEntry.ts"
import * as ServerRequests from "../requests/ServerRequests.ts"
import * as RemoteTool from "../server/RemoteTool.ts"
import * as ClientNotices from "./ClientNotices.ts"
import { CallFailed, type ListedTools, type OtherMethod } from "./Connection.ts"
import * as RawResults from "./RawResults.ts"
import * as SchemaComplaint from "./SchemaComplaint.ts"

export const library = Effect.andThen(
  ClientNotices.intoLog,
  Effect.promise(() => import("@modelcontextprotocol/client"))
)

export interface SessionOptions {
  /** `auto`, `legacy` (the handshake of 2025 and before), or a revision. */
  readonly protocol: string
  /** Waits of the client itself; the caller's own limit comes first. */
  readonly timeoutMillis: number
  readonly probeTimeoutMillis: number
  readonly onListChanged: () => void
  readonly onError: (error: Error) => void
  /** What the server may ask. Absent: nothing that needs anybody. */
  readonly requests?: ServerRequests.ServerRequests | undefined
}

/** The client's own limits never come first: budgets are the caller's. */
const noTimeout = { timeout: 2_000_000_000 }
const maxPages = 1000

/** JSON-RPC code: the headers of a call do not mirror its parameters as the tool wants it. */
export const headerMismatch = -32020

/** From this revision on there is no `initialize` any more. */
const firstModern = "2026-07-28"

const negotiation = ({
  protocol,
  probeTimeoutMillis
}: SessionOptions): ConstructorParameters<typeof Client>[1] => {
  if (protocol === "legacy") return {}
  if (protocol === "auto")
    return { versionNegotiation: { mode: "auto", probe: { timeoutMs: probeTimeoutMillis } } }
  if (protocol >= firstModern)
    return { versionNegotiation: { mode: { pin: protocol }, probe: { timeoutMs: probeTimeoutMillis } } }
  return { supportedProtocolVersions: [protocol] }
}

export interface McpSession {
  readonly client: Client
  readonly raw: RawResults.RawResults
}

/** Connects; fails with the foreign error. Closing the scope closes the transport. */
export const open = (
  transport: Transport,
  options: SessionOptions
): Effect.Effect<McpSession, Cause.UnknownError, Scope.Scope> =>
  Effect.gen(function* () {
    const { Client } = yield* library
    const raw = RawResults.tap(transport)
    const requests = options.requests ?? ServerRequests.none
    const client = new Client(
      { name: "cow", version: "0.1.0" },
      {
        ...negotiation(options),
        capabilities: requests.capabilities,
        listChanged: { tools: { autoRefresh: false, onChanged: options.onListChanged } }
      }
    )
    client.onerror = options.onError
    requests.answer(client)
    yield* Effect.addFinalizer(() =>
      Effect.promise(() => client.close().then(() => transport.close())).pipe(
        Effect.catchCause((cause) => Effect.logDebug("closing an MCP connection failed", cause))
      )
    )
    yield* Effect.tryPromise((signal) =>
      client.connect(transport, { timeout: options.timeoutMillis, signal })
    )
    // Also servers that announce changes without having declared that they would.
    client.setNotificationHandler("notifications/tools/list_changed", options.onListChanged)
    return { client, raw }
  })

export const offersOf = ({
  client
}: McpSession): { readonly resources: boolean; readonly prompts: boolean } => {
  const { prompts, resources } = client.getServerCapabilities() ?? {}
  return { resources: resources !== undefined, prompts: prompts !== undefined }
}

const anything: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "cow", validate: (value) => ({ value }) }
}

/** What a failed request says. Status and code are read where the client keeps them. */
export const statusOf = (error: unknown): number | undefined => {
  if (!isObject(error) && !(error instanceof Error)) return undefined
  const { data, status, code, cause } = error as {
    data?: unknown
    status?: unknown
    code?: unknown
    cause?: unknown
  }
  if (typeof status === "number") return status
  if (isObject(data) && typeof data.status === "number") return data.status
  // The SSE transport keeps the HTTP status in `code`; JSON-RPC codes are negative.
  if (typeof code === "number" && code >= 300 && code < 600) return code
  return cause === undefined ? undefined : statusOf(cause)
}

/** What happened, without what the client wraps around it. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? messageOf(error.cause) : SchemaComplaint.shorten(error.message)
}

const callFailed = (error: unknown): CallFailed => {
  const message = messageOf(error)
  const { code, data } = error as { code?: unknown; data?: unknown }
  const status = statusOf(error)
  if (status === 404)
    return new CallFailed({ reason: "session", message: "it does not know the session (HTTP 404)" })
  if (status === 401)
    return new CallFailed({
      reason: "unauthorized",
      message: "the server asks for a login (HTTP 401)",
      status
    })
  if (status === 403)
    return new CallFailed({ reason: "unauthorized", message: `HTTP 403: ${message}`, status })
  if (data === RawResults.lostAnswer) return new CallFailed({ reason: "connection", message })
  if (typeof code === "number" && status === undefined) {
    const more = data === undefined ? "" : ` ${JSON.stringify(data)}`
    return new CallFailed({ reason: "answered", message: `${message}${more}`, code })
  }
  return new CallFailed({ reason: "connection", message })
}

export interface RequestExtras {
  /** Over HTTP only. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The server says that it is still at it. */
  readonly onProgress?: (() => void) | undefined
}

/** One request whose answer is wanted as it came. */
export const request = (
  { client, raw }: McpSession,
  method: "tools/list" | "tools/call",
  params: Record<string, unknown>,
  { headers, onProgress }: RequestExtras = {}
): Effect.Effect<unknown, CallFailed> =>
  Effect.suspend(() => {
    const marked = raw.mark(params)
    return Effect.tryPromise({
      try: (signal) =>
        client.request({ method, params: marked.params }, anything, {
          ...noTimeout,
          signal,
          ...(headers === undefined ? {} : { headers }),
          ...(onProgress === undefined ? {} : { onprogress: onProgress })
        }),
      catch: callFailed
    }).pipe(
      Effect.map((answer) => raw.take(marked.token) ?? answer),
      Effect.onExit(() => Effect.sync(() => raw.take(marked.token)))
    )
  })

/** One request whose answer the client checks as a whole. */
export const plainRequest = (
  { client }: McpSession,
  method: OtherMethod,
  params: Readonly<Record<string, Schema.Json>>
): Effect.Effect<unknown, CallFailed> =>
  Effect.tryPromise({
    try: (signal) => client.request({ method, params: { ...params } }, anything, { ...noTimeout, signal }),
    catch: callFailed
  })

/** Every page in order, each tool once. A server without the tools capability that knows no list has no tools. */
export const listTools = (session: McpSession): Effect.Effect<ListedTools, CallFailed> =>
  Effect.gen(function* () {
    const tools = new Map<string, RemoteTool.RemoteTool>()
    const skipped: Array<RemoteTool.SkippedTool> = []
    const warnings: Array<string> = []
    const seen = new Set<string>()
    let cursor: string | undefined
    for (let page = 1; ; page++) {
      const answer = yield* request(session, "tools/list", cursor === undefined ? {} : { cursor })
      const list = isObject(answer) ? answer.tools : undefined
      if (!Array.isArray(list))
        return yield* new CallFailed({ reason: "answered", message: "its tool list is no list" })
      for (const one of list as ReadonlyArray<Schema.Json>) {
        const tool = RemoteTool.decode(one)
        if (Result.isFailure(tool)) skipped.push(tool.failure)
        else if (tools.has(tool.success.name)) {
          if (page === 1) warnings.push(`tool "${tool.success.name}" is listed twice: the first one counts`)
        } else tools.set(tool.success.name, tool.success)
      }
      const next = isObject(answer) ? answer.nextCursor : undefined
      if (typeof next !== "string" || next === "") break
      if (seen.has(next) || page >= maxPages) {
        warnings.push(`its tool list does not end (page ${page + 1}): what was read so far counts`)
        break
      }
      seen.add(next)
      cursor = next
    }
    return { tools: [...tools.values()], skipped, warnings }
  }).pipe(
    Effect.catch((failure) =>
      failure.reason === "answered" && session.client.getServerCapabilities()?.tools === undefined
        ? Effect.succeed({ tools: [], skipped: [], warnings: [] })
        : Effect.fail(failure)
    )
  )
