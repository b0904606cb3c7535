/**
 * A connection to a server over HTTP: streamable, or the older SSE where the server refuses the first with 400,
 * 404 or 405. A lost session is opened again once and the request repeated once.
 *
 * Redirects to another origin are not followed (the client sees to it). Logging in is not here.
 */

import { Excerpt } from "@cow/core"
import type { Transport } from "@modelcontextprotocol/client"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { CallFailed, ConnectFailed, type Connection } from "./Connection.ts"
import { httpFetch } from "./HttpFetch.ts"
import * as McpSession from "./McpSession.ts"
import type { TransportConfig } from "./ServerEntry.ts"
import type { ConnectOptions } from "./StdioConnection.ts"

type Http = Extract<TransportConfig, { _tag: "Http" }>
type Mode = "streamable" | "sse"

/** The service is up, only not now. */
const busy = new Set([429, 502, 503, 504])
const asksForSse = new Set([400, 404, 405])

const connectFailed = (error: unknown): ConnectFailed => {
  const status = McpSession.statusOf(error)
  if (status === 401) {
    const message =
      'the server asks for a login (HTTP 401): set a header for it, such as "Authorization", in mcp.json'
    return new ConnectFailed({ reason: "unauthorized", message, status })
  }
  const text = Excerpt.head(McpSession.messageOf(error), 300)
  return status === undefined
    ? new ConnectFailed({ reason: "network", message: text })
    : new ConnectFailed({ reason: "protocol", message: `HTTP ${status}: ${text}`, status })
}

/** One session and the scope that ends it. */
interface Opened extends McpSession.McpSession {
  readonly scope: Scope.Closeable
  readonly transport: Transport
}

const makeTransport = (http: Http, mode: Mode) =>
  Effect.map(McpSession.library, ({ SSEClientTransport, StreamableHTTPClientTransport }) => {
    const options = { requestInit: { headers: { ...http.headers } }, fetch: httpFetch }
    return mode === "sse"
      ? new SSEClientTransport(new URL(http.url), options)
      : new StreamableHTTPClientTransport(new URL(http.url), options)
  })

const endSession = (transport: Transport) =>
  "terminateSession" in transport && transport.sessionId !== undefined
    ? Effect.tryPromise(() =>
        (transport as { terminateSession: () => Promise<void> }).terminateSession()
      ).pipe(
        Effect.timeout("1 second"),
        Effect.catch((error) => Effect.logDebug("the HTTP session was not ended", error))
      )
    : Effect.void

/** Connects. The scope that calls holds the connection. */
export const connect = (
  http: Http,
  options: ConnectOptions
): Effect.Effect<Connection, ConnectFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const { SseError } = yield* McpSession.library
    const ended = yield* Deferred.make<string>()
    const announcements = yield* Queue.sliding<void>(1)
    const oneAtATime = yield* Semaphore.make(1)

    const open = (mode: Mode, protocol: string): Effect.Effect<Opened, ConnectFailed> =>
      Effect.gen(function* () {
        const own = yield* Scope.fork(scope)
        const transport = yield* makeTransport(http, mode)
        return yield* McpSession.open(transport, {
          protocol: mode === "sse" && protocol === "auto" ? "legacy" : protocol,
          timeoutMillis: options.connectTimeoutSeconds * 1000 + 1000,
          probeTimeoutMillis: options.connectTimeoutSeconds * 1000 + 1000,
          onListChanged: () => void Queue.offerUnsafe(announcements, undefined),
          onError: (error) => {
            if (error instanceof SseError) Deferred.doneUnsafe(ended, Exit.succeed("connection lost"))
          }
        }).pipe(
          Effect.mapError((error) => connectFailed(error.cause)),
          Effect.tap(() => Effect.addFinalizer(() => endSession(transport))),
          Effect.map((session) => ({ ...session, scope: own, transport })),
          Scope.provide(own),
          Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(own, exit) : Effect.void))
        )
      })
    const patiently = (mode: Mode, protocol: string) =>
      open(mode, protocol).pipe(
        Effect.retry({
          schedule: Schedule.exponential("300 millis").pipe(Schedule.jittered, Schedule.upTo({ times: 4 })),
          while: ({ status }) => status !== undefined && busy.has(status)
        })
      )
    const fallback = (error: ConnectFailed) =>
      http.mode === "auto" && error.status !== undefined && asksForSse.has(error.status)
        ? patiently("sse", options.protocol).pipe(
            // What the server said first explains more than that the older way failed too.
            Effect.mapError((sse) => (sse.reason === "unauthorized" ? sse : error))
          )
        : Effect.fail(error)
    let current = yield* patiently(http.mode === "sse" ? "sse" : "streamable", options.protocol).pipe(
      Effect.catch(fallback)
    )

    const reopen = (lost: Opened) =>
      oneAtATime.withPermits(1)(
        Effect.gen(function* () {
          if (current !== lost) return
          const revision = lost.client.getNegotiatedProtocolVersion() ?? options.protocol
          // Its session is gone: there is nothing to end, and the old id must not be sent again.
          Object.defineProperty(lost.transport, "sessionId", { value: undefined })
          yield* Scope.close(lost.scope, Exit.void)
          current = yield* open("streamable", revision)
        })
      )
    const withSession = <A>(use: (session: Opened) => Effect.Effect<A, CallFailed>) =>
      Effect.suspend(() => {
        const used = current
        const hadSession = used.transport.sessionId !== undefined
        return use(used).pipe(
          Effect.catch((error) =>
            error.reason === "session" && hadSession
              ? reopen(used).pipe(
                  Effect.mapError(({ message }) => new CallFailed({ reason: "connection", message })),
                  Effect.andThen(Effect.suspend(() => use(current)))
                )
              : Effect.fail(error)
          )
        )
      })
    return {
      protocol: current.client.getNegotiatedProtocolVersion() ?? null,
      pid: null,
      listTools: withSession(McpSession.listTools),
      callTool: (name, input) =>
        withSession((session) => McpSession.request(session, "tools/call", { name, arguments: input })),
      listChanged: Queue.take(announcements),
      ended: Deferred.await(ended)
    }
  })
