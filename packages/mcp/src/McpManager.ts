/**
 * The MCP servers of a process: started in the background, once, and kept to what is configured. Also the layer of
 * core's `ToolServers`.
 *
 * Fibers and states are `ServerFleet`; editing `mcp.json` is `McpConfigFile`; who may use a server is policy's.
 */

import type { Message } from "@cow/core"
import { Diagnostic, NearNames, SchemaValidator, ToolManager, ToolServers } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as ServerLogin from "./auth/ServerLogin.ts"
import * as ConfigSource from "./config/ConfigSource.ts"
import * as FileWatch from "./config/FileWatch.ts"
import { configPlaces, type McpSettings } from "./config/McpSettings.ts"
import * as Readiness from "./fleet/Readiness.ts"
import * as ServerFleet from "./fleet/ServerFleet.ts"
import * as ServerTable from "./fleet/ServerTable.ts"
import * as ServerTest from "./fleet/ServerTest.ts"
import * as StartGate from "./fleet/StartGate.ts"
import * as PidFile from "./process/PidFile.ts"
import * as ServerRequests from "./requests/ServerRequests.ts"
import * as ExtraTools from "./server/ExtraTools.ts"
import * as Redaction from "./server/Redaction.ts"
import type { LeftOutTool } from "./server/ServerTools.ts"

export class ServerNotFound extends Schema.TaggedError<ServerNotFound>()("ServerNotFound", {
  name: Schema.String,
  /** One line, with the names there are. */
  message: Schema.String
}) {}

export interface ServerDetails extends ServerTable.ServerInfo {
  /** The entry as it was written: variables unexpanded, literal secrets masked. */
  readonly entry: Message.JsonObject
}

export class McpManager extends Context.Service<
  McpManager,
  {
    /** Reads the configuration and starts the servers in the background. Later calls wait for that reading, no more. */
    readonly start: Effect.Effect<void>
    /** Sorted by name. */
    readonly list: Effect.Effect<ReadonlyArray<ServerTable.ServerInfo>>
    readonly get: (name: string) => Effect.Effect<ServerDetails, ServerNotFound>
    /**
     * Waits until every required server is ready or, with none named, until none is `pending` or `starting`; at
     * most these seconds, and no longer than there is hope. Gives the required servers that are not ready. What is waited
     * for may start now.
     */
    readonly waitSettled: (
      seconds: number,
      required?: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Readiness.UnreadyServer>>
    /** Connects beside whatever runs, lists the tools, closes. Publishes nothing, enables nothing. */
    readonly test: (name: string) => Effect.Effect<ServerTest.TestReport, ServerNotFound>
    /**
     * Reads the configuration again and applies it; failed servers, and those whose variables changed, are started
     * anew. With a name: that server is started anew.
     */
    readonly reload: (name?: string) => Effect.Effect<void, ServerNotFound>
    /** Broken files and entries, patterns that match nothing, tools left out. */
    readonly diagnostics: Effect.Effect<ReadonlyArray<ConfigSource.ConfigDiagnostic>>
    /** Tools that servers listed and that are not in the table, with the reason. */
    readonly leftOutTools: Effect.Effect<ReadonlyArray<LeftOutTool>>
  }
>()("@cow/mcp/McpManager") {
  static readonly layer = (
    settings: McpSettings
  ): Layer.Layer<
    McpManager | ToolServers,
    never,
    ToolManager | SchemaValidator | FileSystem.FileSystem | Path.Path
  > => Layer.effectContext(make(settings))
}

const make = (settings: McpSettings) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const toolManager = yield* ToolManager
    const validator = yield* SchemaValidator
    const scope = yield* Effect.scope
    const logFolder = path.join(settings.cowHome, "logs")
    const source = ConfigSource.make(fs, configPlaces(settings, path))
    const pidFile = yield* PidFile.make(fs, path, path.join(settings.cowHome, "run"))
    const { env, home, workspace } = settings
    const stdio = { fs, path, pidFile, env, home, workspace, logFolder }
    const context = yield* Effect.context<never>()
    const host = {
      stdio,
      toolManager,
      validator,
      settings,
      // As this layer was given them, whoever's fiber starts a server.
      requests: (server: string) => Effect.provideContext(ServerRequests.make(server), context),
      login: yield* ServerLogin.options(settings)
    }
    const gate = StartGate.make(settings.firstStart ?? "at once")
    const fleet = yield* ServerFleet.make(host, gate.pass)
    const extraTools = ExtraTools.make(fleet.extraServers)
    const registration = yield* toolManager.register({ _tag: "Builtin" }, [])
    yield* SubscriptionRef.changes(fleet.extras).pipe(
      Stream.runForEach((extras) => registration.replace(extraTools(extras.values()))),
      Effect.forkScoped
    )
    const oneAtATime = yield* Semaphore.make(1)
    const loaded = yield* Deferred.make<void>()
    let begun = false

    const prepareLogs = (configuration: ConfigSource.Configuration) =>
      configuration.servers.length === 0
        ? Effect.void
        : Effect.catch(fs.makeDirectory(logFolder, { recursive: true }), (error) =>
            Effect.logWarning(`${logFolder} cannot be made`, error)
          )
    const refresh = oneAtATime.withPermits(1)(
      Effect.gen(function* () {
        if (!begun) return
        const changed = yield* source.check
        if (Option.isNone(changed)) return
        yield* prepareLogs(changed.value)
        yield* fleet.apply(changed.value)
      })
    )
    const load = Effect.gen(function* () {
      yield* Effect.forkIn(
        Effect.flatMap(pidFile.reap, (count) =>
          count === 0
            ? Effect.void
            : Effect.logInfo(`${count} processes that a killed Cow had left were ended`)
        ),
        scope
      )
      const configuration = yield* source.read
      yield* prepareLogs(configuration)
      yield* fleet.apply(configuration)
      yield* Scope.provide(gate.begin, scope)
      yield* Scope.provide(FileWatch.start(fs, path, source.files, refresh), scope)
    })
    const start = Effect.suspend(() => {
      if (begun) return Deferred.await(loaded)
      begun = true
      return oneAtATime
        .withPermits(1)(load)
        .pipe(
          Effect.onExit((exit) => Deferred.done(loaded, exit)),
          Effect.uninterruptible
        )
    })
    const rows = SubscriptionRef.get(fleet.table)
    const find = (name: string) =>
      Effect.flatMap(rows, (all) => {
        const row = all.get(name)
        if (row !== undefined) return Effect.succeed(row)
        const names = [...all.keys()].sort()
        const message = `there is no MCP server "${name}"${NearNames.hint(name, names)}; configured: ${names.join(", ") || "none"}`
        return Effect.fail(new ServerNotFound({ name, message }))
      })

    const reload = Effect.fn("McpManager.reload")(function* (name?: string) {
      yield* start
      yield* gate.open(name === undefined ? [] : [name])
      yield* oneAtATime.withPermits(1)(
        Effect.gen(function* () {
          const configuration = yield* source.read
          yield* prepareLogs(configuration)
          const before = yield* rows
          yield* fleet.apply(configuration, (one) => {
            if (name !== undefined) return one === name
            const state = before.get(one)?.state
            return state === "failed" || state === "needs_auth" || fleet.isOutdated(one)
          })
        })
      )
      if (name !== undefined) yield* find(name)
    })

    const waitSettled = Effect.fn("McpManager.waitSettled")(function* (
      seconds: number,
      required: ReadonlyArray<string> = []
    ) {
      yield* start
      yield* gate.open(required)
      yield* SubscriptionRef.changes(fleet.table).pipe(
        Stream.filter((all) => Readiness.isSettled(all, required)),
        Stream.runHead,
        Effect.timeoutOption(Duration.seconds(seconds))
      )
      return Readiness.unready(yield* rows, required)
    })

    const test = Effect.fn("McpManager.test")(function* (name: string) {
      yield* start
      const { configured, state } = yield* find(name)
      const began = yield* Clock.currentTimeMillis
      const servers = [...(yield* rows).keys()]
      const outcome =
        state === "untrusted"
          ? Result.fail("its folder is not trusted: `cow trust` first")
          : Result.isFailure(configured.entry)
            ? Result.fail(configured.entry.failure)
            : yield* ServerTest.run(host, name, configured.entry.success, servers)
      return ServerTest.report(name, outcome, (yield* Clock.currentTimeMillis) - began)
    })

    const leftOutTools = Effect.map(fleet.notes, (notes) =>
      [...notes.values()].flatMap(({ leftOut }) => leftOut)
    )
    const diagnostics = Effect.gen(function* () {
      const of = yield* fleet.notes
      const noted = [
        ...[...of].flatMap(([name, { warnings }]) =>
          warnings.map((text) => Diagnostic.warning(`server ${name}`, text))
        ),
        ...(yield* leftOutTools).map(({ server, tool, reason }) =>
          Diagnostic.warning(`server ${server}`, `tool "${tool}" is left out: ${reason}`)
        )
      ]
      return [...(yield* source.diagnostics), ...noted.map((one) => ({ ...one, logged: false }))]
    })

    const manager = McpManager.of({
      start,
      list: Effect.map(rows, (all) => ServerTable.sorted(all).map(ServerTable.infoOf)),
      get: (name) =>
        Effect.map(find(name), (row) => ({
          ...ServerTable.infoOf(row),
          entry: Redaction.entry(row.configured.written)
        })),
      waitSettled,
      test,
      reload,
      diagnostics,
      leftOutTools
    })
    const servers = ToolServers.of({
      list: ServerTable.statuses(fleet.table),
      changes: ServerTable.changes(fleet.table),
      refresh,
      begin: gate.open([])
    })
    return Context.make(McpManager, manager).pipe(Context.add(ToolServers, servers))
  })
