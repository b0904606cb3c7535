/**
 * Keeps one server alive: starts it, watches it, starts it again with growing waits, and gives up after five
 * failures in a row. Runs until it is interrupted; its scope holds process, connection and tools, in that order.
 *
 * Only what happens when is here; how to connect and how to publish tools is handed in.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { ConnectFailed, type Connection, isTransient } from "../connection/Connection.ts"
import { idle, type Standing } from "../fleet/ServerTable.ts"

export interface Supervision {
  readonly connectTimeoutSeconds: number
  /** Waited for before the first start. */
  readonly begin: Effect.Effect<void>
  /** Limits how many servers start at once. */
  readonly permits: Semaphore.Semaphore
  readonly connect: Effect.Effect<Connection, ConnectFailed, Scope.Scope>
  /** Lists the tools and publishes them: how many. Closing the scope takes them back. */
  readonly publish: (connection: Connection) => Effect.Effect<number, ConnectFailed, Scope.Scope>
  readonly report: (standing: Standing) => Effect.Effect<void>
  /** Secrets and control characters leave a message here. */
  readonly clean: (message: string) => string
}

const attempts = 5
const firstWait = Duration.millis(500)
const longestWait = Duration.seconds(30)
/** A connection that lasted this long makes earlier failures forgotten. */
const stableMillis = 30_000

const backoff = Schedule.min([Schedule.exponential(firstWait), Schedule.spaced(longestWait)]).pipe(
  Schedule.jittered,
  Schedule.upTo({ times: attempts - 1 })
)

/**
 * The limit is for the burst of work when a process starts. A server that takes longer mostly waits, for a network or
 * for ever, and makes way for the next after this.
 */
const longestTurn = Duration.millis(200)

/** With one of the permits, which is given back at the end or after `longestTurn`. */
const inTurn = <A, E, R>(permits: Semaphore.Semaphore, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const turn = yield* Effect.acquireRelease(Scope.make(), Scope.close)
    yield* Scope.provide(Semaphore.takeScoped(permits, 1), turn)
    yield* Effect.forkScoped(Effect.delay(Scope.close(turn, Exit.void), longestTurn))
    return yield* Effect.ensuring(effect, Scope.close(turn, Exit.void))
  })

const timedOut = (seconds: number, listing: boolean): ConnectFailed =>
  new ConnectFailed({
    reason: "timeout",
    message: `connect timed out after ${seconds}s${listing ? ", waiting for the tool list" : ""}`
  })

/** Connected and published, or failed; never longer than the connect timeout. */
export const establish = ({ connect, publish, connectTimeoutSeconds }: Supervision) =>
  Effect.suspend(() => {
    let listing = false
    return Effect.gen(function* () {
      const connection = yield* connect
      listing = true
      const tools = yield* publish(connection)
      return { connection, tools }
    }).pipe(
      Effect.timeoutOrElse({
        duration: Duration.seconds(connectTimeoutSeconds),
        orElse: () => Effect.fail(timedOut(connectTimeoutSeconds, listing))
      })
    )
  })

/** Never ends by itself. */
export const run = (supervision: Supervision): Effect.Effect<never> =>
  Effect.suspend(() => {
    const { begin, permits, report, clean } = supervision
    let failedBefore = false

    const failed = (error: ConnectFailed, atRest: boolean): Effect.Effect<void> => {
      failedBefore = true
      const state = error.reason === "unauthorized" ? "needs_auth" : "failed"
      return report({ ...idle(state, clean(error.message)), atRest: atRest || !isTransient(error) })
    }

    const once = Effect.scoped(
      Effect.gen(function* () {
        const { connection, tools } = yield* inTurn(
          permits,
          // A server that is tried again stays `failed` until it is ready.
          Effect.andThen(failedBefore ? Effect.void : report(idle("starting")), establish(supervision))
        )
        const { protocol, pid } = connection
        yield* report({ state: "ready", error: null, tools, protocol, pid, atRest: false })
        const since = yield* Clock.currentTimeMillis
        const lost = new ConnectFailed({ reason: "ended", message: `it ${yield* connection.ended}` })
        // Before the scope takes the tools back: whoever sees it ready can call.
        yield* failed(lost, false)
        if ((yield* Clock.currentTimeMillis) - since < stableMillis) return yield* lost
      })
    ).pipe(
      // A fault of Cow's own must not leave the server starting for ever.
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError("an MCP server could not be started", Cause.die(defect)),
          Effect.fail(
            new ConnectFailed({ reason: "configuration", message: `a fault in Cow: ${String(defect)}` })
          )
        )
      ),
      Effect.tapError((error) => failed(error, false))
    )

    return begin.pipe(
      Effect.andThen(once),
      Effect.retry({ schedule: backoff, while: isTransient }),
      Effect.repeat(Schedule.jittered(Schedule.spaced(firstWait))),
      Effect.catch((error) => failed(error, true)),
      Effect.andThen(Effect.never)
    )
  })
