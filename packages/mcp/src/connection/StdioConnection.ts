/**
 * A connection to a server that Cow starts itself. The scope holds the process group, its log and its record in
 * the pid file: closing it, also in the middle of the handshake, ends all of them.
 */
import { Excerpt } from "@cow/core"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type { TransportConfig } from "../config/ServerEntry.ts"
import type { PidFile } from "../process/PidFile.ts"
import * as ProcessGroup from "../process/ProcessGroup.ts"
import * as ServerEnvironment from "../process/ServerEnvironment.ts"
import * as StderrLog from "../process/StderrLog.ts"
import type { ServerRequests } from "../requests/ServerRequests.ts"
import * as OutputCheck from "../server/OutputCheck.ts"
import { ConnectFailed, type Connection } from "./Connection.ts"
import * as McpSession from "./McpSession.ts"
import * as StdioTransport from "./StdioTransport.ts"

export interface StdioHost {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  readonly pidFile: PidFile
  /** The agent's variables; only a few of them reach a server. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** Where servers run that name no folder. */
  readonly workspace: string
  readonly logFolder: string
}

type Stdio = Extract<TransportConfig, { _tag: "Stdio" }>

export interface ConnectOptions {
  readonly server: string
  readonly protocol: string
  readonly connectTimeoutSeconds: number
  /** How long a program may take to leave once its input has ended. Absent: `defaultStopGraceSeconds`. */
  readonly stopGraceSeconds?: number | undefined
  /** What the server may ask. */
  readonly requests?: ServerRequests | undefined
}

/** Most leave at once; one that does not is told to. */
const defaultStopGraceSeconds = 0.1
/** Above it a line without end closes the connection. */
const maxLineBytes = 64 * 1024 * 1024
/** A server that ignores the question for its revisions is taken for an older one after this. */
const maxProbeMillis = 5000

/** When the children of a server that has started are written down. */
const membersAfter = Duration.seconds(1)
/** How long a failed handshake waits to learn whether the process has ended. */
const exitGrace = Duration.millis(300)

const configuration = (message: string) => new ConnectFailed({ reason: "configuration", message })

const folderOf = (host: StdioHost, stdio: Stdio): Effect.Effect<string, ConnectFailed> => {
  const given = (stdio.cwd ?? host.workspace).replace(/^~(?=$|\/)/, () => host.home)
  const folder = host.path.resolve(host.workspace, given)
  return host.fs.stat(folder).pipe(
    Effect.mapError(() => configuration(`the folder "${folder}" ("cwd") does not exist`)),
    Effect.filterOrFail(
      (info) => info.type === "Directory",
      () => configuration(`"${folder}" ("cwd") is no folder`)
    ),
    Effect.as(folder)
  )
}

const connectOnce = (host: StdioHost, stdio: Stdio, options: ConnectOptions) =>
  Effect.gen(function* () {
    const cwd = yield* folderOf(host, stdio)
    const log = yield* StderrLog.open(
      host.fs,
      host.path.join(host.logFolder, StderrLog.fileName(options.server))
    )
    const group = yield* ProcessGroup.spawn({
      command: stdio.command.replace(/^~(?=\/)/, () => host.home),
      args: stdio.args,
      env: ServerEnvironment.make(host.env, stdio.env),
      cwd,
      stopGraceMillis: (options.stopGraceSeconds ?? defaultStopGraceSeconds) * 1000
    }).pipe(Effect.mapError((error) => configuration(error.message)))
    group.onStderr(log.push)
    yield* host.pidFile.record(group.pid, options.server)

    const ended = yield* Deferred.make<string>()
    /** Ended by the server's doing: of a failed handshake this is the reason, and closing it is not. */
    const died = yield* Deferred.make<string>()
    const announcements = yield* Queue.sliding<void>(1)
    const oddities = yield* Queue.sliding<string>(50)
    const tell = (text: string) => void Queue.offerUnsafe(oddities, Excerpt.head(text, 200))
    yield* Queue.take(oddities).pipe(
      Effect.flatMap((text) => Effect.logDebug(`server ${options.server}: ${text}`)),
      Effect.forever,
      Effect.forkScoped
    )
    const transport = StdioTransport.make(group, {
      maxLineBytes,
      onEnd: (reason, own) => {
        if (!own) Deferred.doneUnsafe(died, Exit.succeed(reason))
        Deferred.doneUnsafe(ended, Exit.succeed(reason))
      },
      onNoise: (line) => tell(`a line that is no message: ${line}`)
    })
    const endedFailure = Effect.map(Deferred.await(died), (how) => {
      const said = log.lastWords()
      return new ConnectFailed({ reason: "ended", message: `it ${how}${said === "" ? "" : `: ${said}`}` })
    })
    const session = yield* McpSession.open(transport, {
      protocol: options.protocol,
      timeoutMillis: options.connectTimeoutSeconds * 1000 + 1000,
      probeTimeoutMillis: Math.min(maxProbeMillis, options.connectTimeoutSeconds * 500),
      onListChanged: () => void Queue.offerUnsafe(announcements, undefined),
      onError: (error) => tell(error.message),
      requests: options.requests
    }).pipe(
      Effect.catch((error) =>
        // A write may fail before the exit that explains it is known.
        Effect.flatMap(Effect.timeoutOption(endedFailure, exitGrace), (ended) =>
          Effect.fail(
            Option.getOrElse(
              ended,
              () => new ConnectFailed({ reason: "protocol", message: McpSession.messageOf(error.cause) })
            )
          )
        )
      ),
      Effect.raceFirst(Effect.flatMap(endedFailure, Effect.fail))
    )
    yield* Effect.forkScoped(Effect.delay(host.pidFile.recordMembers(group.pid), membersAfter))
    const guarded = yield* OutputCheck.make(host.fs, group.pid, () =>
      transport.end(StdioTransport.outputClosed)
    )
    return {
      protocol: session.client.getNegotiatedProtocolVersion() ?? null,
      pid: group.pid,
      offers: McpSession.offersOf(session),
      listTools: McpSession.listTools(session),
      callTool: (name, input) =>
        guarded(McpSession.request(session, "tools/call", { name, arguments: input })),
      request: (method, params) => McpSession.plainRequest(session, method, params),
      listChanged: Queue.take(announcements),
      ended: Deferred.await(ended)
    } satisfies Connection
  })

/** Runs it in a scope of its own that closes at once when it fails. */
const inOwnScope = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.flatMap(Effect.scope, (parent) => Scope.fork(parent))
    return yield* effect.pipe(
      Scope.provide(scope),
      Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void))
    )
  })

/**
 * Starts the server and shakes hands. A server that ends when it is asked for its revisions, as some older ones
 * do, is started once more and greeted the old way.
 */
export const connect = (
  host: StdioHost,
  stdio: Stdio,
  options: ConnectOptions
): Effect.Effect<Connection, ConnectFailed, Scope.Scope> => {
  const first = inOwnScope(connectOnce(host, stdio, options))
  if (options.protocol !== "auto") return first
  return first.pipe(
    Effect.catch((error) =>
      error.reason === "ended"
        ? inOwnScope(connectOnce(host, stdio, { ...options, protocol: "legacy" }))
        : Effect.fail(error)
    )
  )
}
