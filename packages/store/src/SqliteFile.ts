/**
 * A SQLite file that is opened at its first use, waits for other processes, and mends itself: a damaged file is
 * kept as `NAME.bak` and a new one made.
 *
 * Knows neither fibers' turns nor their transactions: callers come one at a time (`StateDbSqlite`).
 */
import type { StateDbError } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as Scope from "effect/Scope"
import * as SqliteConnection from "./SqliteConnection.ts"

type Connection = SqliteConnection.SqliteConnection

/** How long a statement waits for another process to finish writing. */
export const lockWait = Context.Reference<Duration.Duration>("@cow/store/lockWait", {
  defaultValue: () => Duration.seconds(5)
})

export interface UseOptions {
  /** True: the connection must stay what it is, so nothing is mended now. */
  readonly inTransaction?: boolean
  /** Around the waiting, so that it can be interrupted where the rest cannot. */
  readonly pause?: (wait: Effect.Effect<void>) => Effect.Effect<void>
}

export interface SqliteFile {
  /** Runs the statements on the connection in one go. What they throw is decoded. */
  readonly use: <A>(
    statements: (connection: Connection) => A,
    options?: UseOptions
  ) => Effect.Effect<A, StateDbError>
}

type Attempt<A> =
  | { readonly _tag: "Done"; readonly value: A }
  | { readonly _tag: "Failed"; readonly cause: unknown }

const attempt = <A>(run: () => A): Attempt<A> => {
  try {
    return { _tag: "Done", value: run() }
  } catch (cause) {
    return { _tag: "Failed", cause }
  }
}

/** `prepare` runs on every new connection before its first use. `:memory:` is a database without a file. */
export const make = Effect.fnUntraced(function* (
  path: string,
  prepare: (connection: Connection) => void
): Effect.fn.Return<SqliteFile, never, FileSystem.FileSystem | Path.Path | Scope.Scope> {
  const fs = yield* FileSystem.FileSystem
  const folder = (yield* Path.Path).dirname(path)
  let connection: Connection | undefined
  let suspect = false

  const disconnect = Effect.sync(() => {
    connection?.close()
    connection = undefined
  })
  yield* Effect.addFinalizer(() => disconnect)

  const open = Effect.gen(function* () {
    if (path !== ":memory:") yield* fs.makeDirectory(folder, { recursive: true })
    const opened = yield* Effect.tryPromise({
      try: () => SqliteConnection.connect(path),
      catch: (cause) => cause
    })
    const prepared = attempt(() => prepare(opened))
    if (prepared._tag === "Failed") {
      opened.close()
      return yield* Effect.fail(prepared.cause)
    }
    connection = opened
    return opened
  })

  /** The first of `NAME.bak`, `NAME.bak2`, … that nothing stands at. */
  const backupName = Effect.gen(function* () {
    for (let count = 1; ; count++) {
      const name = `${path}.bak${count === 1 ? "" : count}`
      const taken = yield* Effect.forEach(["", ...SqliteConnection.companions], (end) =>
        fs.exists(name + end)
      )
      if (!taken.includes(true)) return name
    }
  })

  const setAside = Effect.gen(function* () {
    // Another process may have mended it while we waited for the lock.
    const damaged = yield* Effect.tryPromise({
      try: () => SqliteConnection.isDamaged(path),
      catch: (cause) => cause
    })
    if (!damaged) return
    const backup = yield* backupName
    // The companions too, which a new one must not meet. The database last: until then the next start goes on here.
    for (const end of [...SqliteConnection.companions, ""])
      if (yield* fs.exists(path + end)) yield* fs.rename(path + end, backup + end)
    yield* Effect.logWarning(`${path} is damaged; it is kept as ${backup} and a new one is made`)
  })

  const mend = Effect.andThen(
    disconnect,
    Effect.acquireUseRelease(
      Effect.tryPromise({ try: () => SqliteConnection.lock(`${path}.lock`), catch: (cause) => cause }),
      () => setAside,
      // Whoever waits for the removed file's lock looks at the database again and finds it whole.
      (held) => Effect.andThen(Effect.ignore(fs.remove(`${path}.lock`)), Effect.sync(held.release))
    )
  )

  const use = Effect.fnUntraced(function* <A>(
    statements: (connection: Connection) => A,
    { inTransaction = false, pause = (wait) => wait }: UseOptions = {}
  ) {
    const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(yield* lockWait)
    let mended = false
    for (let tries = 0; ; tries++) {
      const outcome: Attempt<A> = yield* Effect.uninterruptible(
        Effect.gen(function* () {
          if (suspect && !inTransaction) {
            yield* mend
            suspect = false
          }
          const current = connection ?? (yield* open)
          return attempt(() => statements(current))
        }).pipe(Effect.catch((cause) => Effect.succeed<Attempt<A>>({ _tag: "Failed", cause })))
      )
      if (outcome._tag === "Done") return outcome.value
      const fault = SqliteConnection.faultOf(outcome.cause)
      if (fault === "busy" && (yield* Clock.currentTimeMillis) < until) {
        yield* pause(Effect.sleep(Duration.millis(Math.min(5 * (tries + 1), 100))))
        continue
      }
      if (fault === "damaged" && path !== ":memory:") {
        suspect = true
        if (!inTransaction && !mended) {
          mended = true
          continue
        }
      }
      return yield* SqliteConnection.toStateDbError(path, outcome.cause)
    }
  })

  return { use }
})
