/**
 * The layer of core's `StateDb` on one SQLite file: whose turn it is, transactions, and each owner's migrations.
 *
 * Opening, waiting for other processes and mending are `SqliteFile`. Nothing touches the disk before the first
 * statement.
 */
import { type Migrations, StateDb, type StateDbError } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Semaphore from "effect/Semaphore"
import * as Migrator from "./Migrator.ts"
import type { SqliteConnection } from "./SqliteConnection.ts"
import * as SqliteFile from "./SqliteFile.ts"

/** The database itself, or an open transaction of it. Statements of one level take turns. */
interface Level {
  readonly file: SqliteFile.SqliteFile
  readonly turn: Semaphore.Semaphore
  /** 0: the database. 1: a transaction. More: a transaction inside one. */
  readonly depth: number
  /** What the fiber was in when it began, perhaps a transaction of another database. */
  readonly around: Level | undefined
  open: boolean
}

/** The innermost transaction that the fiber is in. */
const CurrentLevel = Context.Reference<Level | undefined>("@cow/store/StateDbSqlite/CurrentLevel", {
  defaultValue: () => undefined
})

const makeLevel = (file: SqliteFile.SqliteFile, depth: number, around?: Level): Level => ({
  file,
  turn: Semaphore.makeUnsafe(1),
  depth,
  around,
  open: true
})

const statementsOf = (depth: number) =>
  depth === 1
    ? { begin: "BEGIN IMMEDIATE", commit: "COMMIT", rollback: "ROLLBACK" }
    : {
        begin: `SAVEPOINT level${depth}`,
        commit: `RELEASE level${depth}`,
        rollback: `ROLLBACK TO level${depth}; RELEASE level${depth}`
      }

const make = Effect.fnUntraced(function* (path: string) {
  const known = new Map<string, Migrations>()
  const file = yield* SqliteFile.make(path, (connection) => {
    for (const migrations of known.values()) Migrator.apply(connection, migrations)
  })
  const root = makeLevel(file, 0)

  /** A fiber that outlives the transaction it was started in is outside again. */
  const here = Effect.map(CurrentLevel, (current) => {
    for (let level = current; level !== undefined; level = level.around)
      if (level.file === file && level.open) return level
    return root
  })

  const use = <A>(statements: (connection: SqliteConnection) => A): Effect.Effect<A, StateDbError> =>
    Effect.flatMap(here, (level) =>
      level.turn.withPermit(
        Effect.suspend(() =>
          level.open
            ? file.use(statements, { inTransaction: level.depth > 0 })
            : // The transaction ended while this fiber waited for its turn.
              use(statements)
        )
      )
    )

  const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StateDbError, R> =>
    Effect.flatMap(here, (outer) =>
      outer.turn.withPermit(Effect.suspend(() => (outer.open ? within(outer, effect) : transaction(effect))))
    )

  const within = <A, E, R>(outer: Level, effect: Effect.Effect<A, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const level = makeLevel(file, outer.depth + 1, yield* CurrentLevel)
        const { begin, commit, rollback } = statementsOf(level.depth)
        yield* file.use((connection) => connection.script(begin), {
          inTransaction: outer.depth > 0,
          pause: restore
        })
        const exit = yield* Effect.exit(restore(Effect.provideService(effect, CurrentLevel, level)))
        const undo = file.use(
          // After some errors, as a full disk, SQLite has rolled back by itself.
          (connection) => connection.inTransaction() && connection.script(rollback),
          { inTransaction: true }
        )
        const end = Exit.isSuccess(exit)
          ? Effect.tapError(
              file.use((connection) => connection.script(commit), { inTransaction: true }),
              () => undo
            )
          : Effect.catch(undo, ({ message }) => Effect.logWarning(`a rollback failed: ${message}`))
        // Fibers that were left running inside finish their statement, then they are outside.
        yield* level.turn.withPermit(
          Effect.suspend(() => {
            level.open = false
            return end
          })
        )
        return yield* exit
      })
    )

  return StateDb.of({
    migrate: (migrations) =>
      Effect.flatMap(here, (level) => {
        const before = known.get(migrations.owner)
        if (before !== undefined && before.steps.length >= migrations.steps.length) return Effect.void
        return Effect.map(
          use((connection) => Migrator.apply(connection, migrations)),
          () => {
            // A transaction around it may still take the tables back.
            if (level.depth === 0) known.set(migrations.owner, migrations)
          }
        )
      }),
    all: (sql, params) => use((connection) => connection.all(sql, params)),
    run: (sql, params) => use((connection) => connection.run(sql, params)),
    transaction
  })
})

/** The file at `path`; its folder is made. */
export const layer = (path: string): Layer.Layer<StateDb, never, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(StateDb, make(path))

/** A database of its own in memory, gone with the layer. */
export const layerMemory: Layer.Layer<StateDb> = Layer.effect(StateDb, make(":memory:")).pipe(
  Layer.provide([FileSystem.layerNoop({}), Path.layer])
)
