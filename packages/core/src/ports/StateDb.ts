/**
 * The port to the one SQLite file, `state.db`. Each owner brings its own tables and migrations; nobody reads
 * another's. The store package has the layer.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class StateDbError extends Schema.TaggedError<StateDbError>()("StateDbError", {
  /** One line: what was done, and what the database said. */
  message: Schema.String,
  cause: Schema.Defect()
}) {}

export type SqlValue = string | number | bigint | null | Uint8Array
export type Row = Readonly<Record<string, SqlValue>>

export interface Migrations {
  /** Names the tables' owner, as `sessions`. */
  readonly owner: string
  /** SQL scripts, oldest first; each runs once, in a transaction of its own. Only ever appended to. */
  readonly steps: ReadonlyArray<string>
}

export class StateDb extends Context.Service<
  StateDb,
  {
    /** Brings the owner's tables up to date. Does nothing the second time. */
    readonly migrate: (migrations: Migrations) => Effect.Effect<void, StateDbError>
    readonly all: (
      sql: string,
      params?: ReadonlyArray<SqlValue>
    ) => Effect.Effect<ReadonlyArray<Row>, StateDbError>
    /** Gives the number of rows changed. */
    readonly run: (sql: string, params?: ReadonlyArray<SqlValue>) => Effect.Effect<number, StateDbError>
    /** All or nothing, and alone: nobody else writes in between, no other process either. */
    readonly transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StateDbError, R>
  }
>()("@cow/core/StateDb") {}
