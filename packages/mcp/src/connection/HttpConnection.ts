/**
 * A connection to a server over HTTP: streamable, or the older SSE where the server refuses the first with 400,
 * 404 or 405. A lost session is opened again once and the request repeated once.
 *
 * Redirects to another origin are not followed (the client sees to it). Logging in is `Authorizer`.
 */

import { Excerpt, Secrets } from "@cow/core"
import type { FetchLike, Transport } from "@modelcontextprotocol/client"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Authorizer from "../auth/Authorizer.ts"
import * as LoginAdvice from "../auth/LoginAdvice.ts"
import type { TransportConfig } from "../config/ServerEntry.ts"
import { CallFailed, ConnectFailed, type Connection, type ListedTools } from "./Connection.ts"
import { httpFetch } from "./HttpFetch.ts"
import * as ListeningStream from "./ListeningStream.ts"
import * as McpSession from "./McpSession.ts"
import * as ParamHeaders from "./ParamHeaders.ts"
import type { ConnectOptions } from "./StdioConnection.ts"

type Http = Extract<TransportConfig, { _tag: "Http" }>
type Mode = "streamable" | "sse"

/** The service is up, only not now. */
const busy = new Set([429, 502, 503, 504])
const asksForSse = new Set([400, 404, 405])

const hide = (authorizer: Authorizer.Authorizer | undefined, text: string): string =>
  Secrets.hide(text, authorizer?.secrets() ?? [])

/** What to do about a status 401 or 403 of this server. */
const adviceFor =
  (server: string, authorizer: Authorizer.Authorizer | undefined, hasOwnHeader: boolean) =>
  (status: number): string => {
    const hasLogin = (authorizer?.secrets() ?? []).length > 0
    return hide(
      authorizer,
      LoginAdvice.of({
        server,
        status,
        shown: hasOwnHeader ? "header" : hasLogin ? "login" : "nothing",
        obstacle: authorizer?.obstacle(),
        attended: authorizer?.attended === true
      })
    )
  }

const failureOf =
  (authorizer: Authorizer.Authorizer | undefined, advice: (status: number) => string) =>
  (error: unknown): ConnectFailed => {
    const status = McpSession.statusOf(error)
    if (status === 401 || status === 403)
      return new ConnectFailed({ reason: "unauthorized", message: advice(status), status })
    const text = hide(authorizer, Excerpt.head(McpSession.messageOf(error), 300))
    return status === undefined
      ? new ConnectFailed({ reason: "network", message: text })
      : new ConnectFailed({ reason: "protocol", message: `HTTP ${status}: ${text}`, status })
  }

export interface HttpOptions extends ConnectOptions {
  /** Absent: what the entry's headers do not open stays closed. */
  readonly login?: Omit<Authorizer.AuthorizerOptions, "key"> | undefined
}

/** One session and the scope that ends it. */
interface Opened extends McpSession.McpSession {
  readonly scope: Scope.Closeable
  readonly transport: Transport
}

const makeTransport = (http: Http, mode: Mode, fetch: FetchLike) =>
  Effect.map(McpSession.library, ({ SSEClientTransport, StreamableHTTPClientTransport }) => {
    const requestInit = { headers: { ...http.headers } }
    return mode === "sse"
      ? new SSEClientTransport(new URL(http.url), { requestInit, fetch })
      : new StreamableHTTPClientTransport(new URL(http.url), {
          requestInit,
          fetch: ListeningStream.paced(fetch)
        })
  })

/** A server that takes longer is not waited for: the request is on its way. */
const endSessionWait = "200 millis"

const endSession = (transport: Transport) =>
  "terminateSession" in transport && transport.sessionId !== undefined
    ? Effect.tryPromise(() =>
        (transport as { terminateSession: () => Promise<void> }).terminateSession()
      ).pipe(
        Effect.timeout(endSessionWait),
        Effect.catch((error) => Effect.logDebug("the HTTP session was not ended", error))
      )
    : Effect.void

/** Connects. The scope that calls holds the connection. */
export const connect = (
  http: Http,
  options: HttpOptions
): Effect.Effect<Connection, ConnectFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const { SseError } = yield* McpSession.library
    const ended = yield* Deferred.make<string>()
    const announcements = yield* Queue.sliding<void>(1)
    const oneAtATime = yield* Semaphore.make(1)
    // A header that the user has set is the user's way to log in.
    const ownHeader = Object.keys(http.headers).some((name) => name.toLowerCase() === "authorization")
    const authorizer =
      ownHeader || options.login === undefined
        ? undefined
        : yield* Authorizer.make(httpFetch, {
            ...options.login,
            key: { server: options.server, url: http.url }
          })
    const fetch = authorizer?.fetch ?? httpFetch
    const operation = authorizer?.operation ?? ((effect) => effect)
    const advice = adviceFor(options.server, authorizer, ownHeader)
    const connectFailure = failureOf(authorizer, advice)

    const open = (mode: Mode, protocol: string): Effect.Effect<Opened, ConnectFailed> =>
      Effect.gen(function* () {
        const own = yield* Scope.fork(scope)
        const transport = yield* makeTransport(http, mode, fetch)
        return yield* McpSession.open(transport, {
          protocol: mode === "sse" && protocol === "auto" ? "legacy" : protocol,
          timeoutMillis: options.connectTimeoutSeconds * 1000 + 1000,
          probeTimeoutMillis: options.connectTimeoutSeconds * 1000 + 1000,
          onListChanged: () => void Queue.offerUnsafe(announcements, undefined),
          onError: (error) => {
            if (error instanceof SseError) Deferred.doneUnsafe(ended, Exit.succeed("connection lost"))
          },
          requests: options.requests
        }).pipe(
          Effect.mapError((error) => connectFailure(error.cause)),
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
    const first = patiently(http.mode === "sse" ? "sse" : "streamable", options.protocol)
    let current = yield* operation(Effect.catch(first, fallback))

    /** Who is to log in again is told so by the next connection. */
    const unauthorized = (error: CallFailed) =>
      Effect.suspend(() => {
        if (error.reason !== "unauthorized") return Effect.fail(error)
        const status = error.status ?? 401
        const message = advice(status)
        if (status === 401) Deferred.doneUnsafe(ended, Exit.succeed("asks for a login"))
        return Effect.fail(new CallFailed({ ...error, message }))
      })
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
      }).pipe(operation, Effect.catch(unauthorized))

    /** What the tools of the last list want mirrored in headers. Only the newest revision has that. */
    let mirrored: ReadonlyMap<string, ReadonlyArray<ParamHeaders.MirroredParam>> = new Map()
    const isModern = current.client.getProtocolEra() === "modern"
    const listTools = Effect.map(withSession(McpSession.listTools), (listed): ListedTools => {
      if (!isModern) return listed
      const checked = listed.tools.map((tool) => [tool, ParamHeaders.declared(tool.inputSchema)] as const)
      mirrored = new Map(checked.map(([{ name }, params]) => [name, Result.getOrElse(params, () => [])]))
      return {
        ...listed,
        tools: checked.flatMap(([tool, params]) => (Result.isSuccess(params) ? [tool] : [])),
        skipped: [
          ...listed.skipped,
          ...checked.flatMap(([{ name }, params]) =>
            Result.isFailure(params) ? [{ name, reason: params.failure }] : []
          )
        ]
      }
    })
    const callOnce = (name: string, input: Schema.Json, onProgress: (() => void) | undefined) =>
      withSession((session) => {
        const headers = ParamHeaders.headers(mirrored.get(name) ?? [], input)
        return McpSession.request(
          session,
          "tools/call",
          { name, arguments: input },
          { onProgress, ...(isModern ? { headers } : {}) }
        )
      })
    return {
      protocol: current.client.getNegotiatedProtocolVersion() ?? null,
      pid: null,
      offers: McpSession.offersOf(current),
      listTools,
      callTool: (name, input, onProgress) =>
        callOnce(name, input, onProgress).pipe(
          Effect.catch((error) =>
            // The tool wants other headers than when it was listed.
            error.code === McpSession.headerMismatch && isModern
              ? Effect.andThen(listTools, callOnce(name, input, onProgress))
              : Effect.fail(error)
          )
        ),
      request: (method, params) => withSession((session) => McpSession.plainRequest(session, method, params)),
      listChanged: Queue.take(announcements),
      ended: Deferred.await(ended)
    }
  })
