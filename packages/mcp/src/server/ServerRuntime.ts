/**
 * What one server does while it lives: connect as its entry says, publish its tools, list again when they change,
 * answer calls. Always through the connection that lives now.
 *
 * When it starts and starts again is `ServerSupervisor`; which servers there are is `ServerFleet`.
 */
import type { Message, SchemaValidator, ToolManager } from "@cow/core"
import { ToolResult } from "@cow/core"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { McpSettings } from "../config/McpSettings.ts"
import type { ServerEntry } from "../config/ServerEntry.ts"
import * as StdioPolicy from "../config/StdioPolicy.ts"
import * as CallBudget from "../connection/CallBudget.ts"
import {
  type CallFailed,
  ConnectFailed,
  type Connection,
  type ListedTools
} from "../connection/Connection.ts"
import * as HttpConnection from "../connection/HttpConnection.ts"
import * as StdioConnection from "../connection/StdioConnection.ts"
import * as Launch from "../process/Launch.ts"
import type { ServerRequests } from "../requests/ServerRequests.ts"
import * as CallResult from "./CallResult.ts"
import * as Redaction from "./Redaction.ts"
import type { RemoteTool } from "./RemoteTool.ts"
import * as ServerExtras from "./ServerExtras.ts"
import * as ServerTools from "./ServerTools.ts"

export interface RuntimeHost {
  readonly stdio: StdioConnection.StdioHost
  readonly toolManager: Context.Service.Shape<typeof ToolManager>
  readonly validator: Context.Service.Shape<typeof SchemaValidator>
  readonly settings: McpSettings
  /** What a server of this name may ask. */
  readonly requests: (server: string) => Effect.Effect<ServerRequests>
  /** How servers over HTTP are logged in to. */
  readonly login: HttpConnection.HttpOptions["login"]
}

/** What the fleet knows of a server at the moment it is asked. */
export interface RuntimeView {
  readonly name: string
  readonly entry: () => ServerEntry
  /** Names of all configured servers. */
  readonly servers: () => ReadonlyArray<string>
  /** Told after each publishing. */
  readonly published: (tools: ServerTools.ServerTools, count: number) => Effect.Effect<void>
  /** Told when a server that became ready has been looked at once more. */
  readonly rested: Effect.Effect<void>
  /** Told what the live connection offers beside tools; nothing when it ends. */
  readonly offered: (extras: ServerExtras.Extras) => Effect.Effect<void>
  /** `it is failed: …`: why there is no connection. */
  readonly standing: () => string
}

export interface ServerRuntime {
  readonly connect: Effect.Effect<Connection, ConnectFailed, Scope.Scope>
  readonly publish: (connection: Connection) => Effect.Effect<number, ConnectFailed, Scope.Scope>
  /** Names, filters and publishes once more what was listed last, if the server is live. */
  readonly republish: Effect.Effect<void>
  readonly call: (tool: RemoteTool, input: Message.JsonObject) => Effect.Effect<ToolResult.ToolResult>
  /** Any other request, through the connection that lives now. Fails with what a model is told. */
  readonly ask: ServerExtras.Ask<ToolResult.ToolResult>
  readonly clean: (message: string) => string
}

/** Some servers add tools right after the handshake, without a word: looked for when nothing was said for so long, */
const secondLook = Duration.millis(100)
/** and once more, for those that take their time. */
const thirdLook = Duration.millis(400)
/** The second look counts as done after this, with or without an answer. */
const longestLook = Duration.seconds(3)
/** Announcements that come within this time are answered by one list. */
const announcementPause = Duration.millis(100)
/** How long a failed call waits to learn how the process ended. */
const endGrace = Duration.millis(500)

export const connectTimeoutOf = (entry: ServerEntry, settings: McpSettings): number =>
  entry.connectTimeoutSeconds ?? settings.connectTimeoutSeconds

export const listFailed = ({ message, reason }: CallFailed): ConnectFailed =>
  reason === "unauthorized"
    ? new ConnectFailed({ reason, message })
    : new ConnectFailed({ reason: "protocol", message: `its tool list failed: ${message}` })

/** @param call how a published tool reaches this server: through the fleet, so that a later start is found */
export const make = (
  host: RuntimeHost,
  view: RuntimeView,
  call: (tool: RemoteTool, input: Message.JsonObject) => Effect.Effect<ToolResult.ToolResult>
): ServerRuntime => {
  const { name } = view
  let secrets: ReadonlyArray<string> = []
  let isAsking = () => false
  /** Connections that were closed because the server was removed, edited or restarted. */
  const stopped = new WeakSet<Connection>()
  let live: { readonly connection: Connection; readonly publish: Effect.Effect<void> } | undefined
  const clean = (message: string) => Redaction.message(message, secrets)

  const connect = Effect.suspend(() => {
    const entry = view.entry()
    const launch = Launch.make(entry.transport, (variable) => host.settings.env[variable])
    if (Result.isFailure(launch))
      return Effect.fail(new ConnectFailed({ reason: "configuration", message: launch.failure }))
    secrets = launch.success.secrets
    const { transport } = launch.success
    if (transport._tag === "Stdio" && entry.savedByApi && !host.settings.allowArbitraryStdio) {
      const allowed = StdioPolicy.check(transport)
      if (Result.isFailure(allowed))
        return Effect.fail(new ConnectFailed({ reason: "configuration", message: allowed.failure.message }))
    }
    const options = {
      server: name,
      protocol: entry.protocol,
      connectTimeoutSeconds: connectTimeoutOf(entry, host.settings),
      stopGraceSeconds: entry.stopGraceSeconds
    }
    const connection = Effect.flatMap(host.requests(name), (requests) => {
      isAsking = requests.isAsking ?? isAsking
      return transport._tag === "Stdio"
        ? StdioConnection.connect(host.stdio, transport, { ...options, requests })
        : HttpConnection.connect(transport, { ...options, requests, login: host.login })
    })
    if (entry.protocol === "auto") return connection
    return Effect.mapError(connection, (error) =>
      error.reason === "protocol"
        ? new ConnectFailed({
            ...error,
            message: `protocol ${entry.protocol} was asked for: ${error.message}`
          })
        : error
    )
  })

  const publish = (connection: Connection) =>
    Effect.gen(function* () {
      let listed: ListedTools = yield* Effect.mapError(connection.listTools, listFailed)
      let tools: ServerTools.ServerTools = { tools: [], leftOut: [], warnings: [] }
      let builtFor: ServerEntry | undefined
      const oneAtATime = Semaphore.makeUnsafe(1)
      const build = Effect.suspend(() => {
        const entry = view.entry()
        builtFor = entry
        const context = { server: name, entry, servers: view.servers(), call }
        return ServerTools.make(context, listed, host.validator, tools.tools)
      })
      tools = yield* build
      // Reachable before it can be seen.
      yield* Effect.addFinalizer((exit) =>
        Effect.sync(() => {
          live = undefined
          if (Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)) stopped.add(connection)
        })
      )
      const registered = { replace: Effect.void }
      live = { connection, publish: Effect.suspend(() => registered.replace) }
      const registration = yield* host.toolManager.register({ _tag: "Mcp", server: name }, tools.tools)
      const tell = Effect.flatMap(registration.refused, (refused) => {
        const leftOut = refused.map((one) => ({
          server: name,
          tool: one.name,
          reason: `its name is ${one.reason}`
        }))
        const all = { ...tools, leftOut: [...tools.leftOut, ...leftOut] }
        const count = tools.tools.length - refused.length
        return Effect.as(view.published(all, count), count)
      })
      // What was looked at later is published later.
      registered.replace = oneAtATime.withPermits(1)(
        Effect.gen(function* () {
          tools = yield* build
          yield* registration.replace(tools.tools)
          yield* tell
        })
      )
      // The entry may have been edited while the first tools were made.
      if (builtFor !== view.entry()) yield* registered.replace
      const listAgain = connection.listTools.pipe(
        Effect.flatMap((next) => {
          listed = next
          return registered.replace
        }),
        Effect.catch((error) =>
          Effect.logWarning(`server ${name}: its tools stay as they were: ${clean(error.message)}`)
        )
      )
      yield* Effect.addFinalizer(() => view.offered(ServerExtras.none))
      const look = Effect.flatMap(ServerExtras.probe(connection), view.offered)
      yield* Effect.forkScoped(look)
      yield* Effect.forkScoped(Effect.delay(view.rested, longestLook))
      const followed = Effect.sleep(announcementPause).pipe(Effect.andThen(listAgain), Effect.andThen(look))
      /** Follows what is announced until there has been silence for so long. */
      const silence = (time: Duration.Duration): Effect.Effect<void> =>
        Effect.flatMap(Effect.timeoutOption(connection.listChanged, time), (announced) =>
          Option.isNone(announced) ? Effect.void : Effect.andThen(followed, silence(time))
        )
      yield* silence(secondLook).pipe(
        Effect.andThen(listAgain),
        Effect.andThen(view.rested),
        Effect.andThen(silence(thirdLook)),
        Effect.andThen(listAgain),
        Effect.andThen(Effect.forever(Effect.andThen(connection.listChanged, followed))),
        Effect.forkScoped
      )
      return yield* tell
    })

  const failure = (connection: Connection, error: CallFailed): Effect.Effect<ToolResult.ToolResult> => {
    if (error.reason === "answered") return Effect.succeed(ToolResult.failed(clean(error.message)))
    if (stopped.has(connection))
      return Effect.succeed(
        ToolResult.cancelled(`MCP server "${name}" was stopped while it answered: ${view.standing()}`)
      )
    const wait = error.reason === "connection" && connection.pid !== null ? endGrace : Duration.zero
    return Effect.map(Effect.timeoutOption(connection.ended, wait), (ended) =>
      ToolResult.failed(
        clean(
          Option.match(ended, {
            onNone: () => `MCP server "${name}": ${error.message}`,
            onSome: (how) => `MCP server "${name}" ${how}`
          })
        )
      )
    )
  }

  const ask: ServerRuntime["ask"] = (method, params) =>
    Effect.suspend(() => {
      if (live === undefined) return Effect.fail(notReady())
      const { connection } = live
      const seconds = view.entry().timeoutSeconds ?? host.settings.readTimeoutSeconds
      return connection.request(method, params).pipe(
        Effect.catch((error) => Effect.flatMap(failure(connection, error), (told) => Effect.fail(told))),
        Effect.timeoutOrElse({
          duration: Duration.seconds(seconds),
          orElse: () => Effect.fail(CallResult.timedOut(seconds))
        })
      )
    })

  const notReady = () => ToolResult.failed(`MCP server "${name}" is not ready: ${view.standing()}`)

  const callNow = (tool: RemoteTool, input: Message.JsonObject) =>
    Effect.suspend(() => {
      if (live === undefined) return Effect.succeed(notReady())
      const { connection } = live
      const { readTimeoutSeconds, writeTimeoutSeconds } = host.settings
      const seconds =
        view.entry().timeoutSeconds ?? (tool.readOnly ? readTimeoutSeconds : writeTimeoutSeconds)
      return CallBudget.within(
        seconds,
        (onProgress) =>
          connection.callTool(tool.name, input, onProgress).pipe(
            Effect.map(CallResult.decode),
            Effect.catch((error) => failure(connection, error))
          ),
        isAsking
      ).pipe(Effect.map(Option.getOrElse(() => CallResult.timedOut(seconds))))
    })

  return {
    connect,
    publish,
    republish: Effect.suspend(() => live?.publish ?? Effect.void),
    call: callNow,
    ask,
    clean
  }
}
