/** One owner's view of the database: its tables are there before it works, and failures carry its own error. */
import { type Migrations, type StateDb, StateDbError } from "@cow/core"
import * as Effect from "effect/Effect"

/** Wraps everything the owner does with the database. */
export const make =
  <StoreError>(
    db: StateDb["Service"],
    migrations: Migrations,
    toStoreError: (cause: StateDbError) => StoreError
  ) =>
  <A, E>(
    effect: Effect.Effect<A, E | StateDbError>
  ): Effect.Effect<A, Exclude<E, StateDbError> | StoreError> =>
    Effect.mapError(Effect.andThen(db.migrate(migrations), effect), (error) =>
      error instanceof StateDbError ? toStoreError(error) : (error as Exclude<E, StateDbError>)
    )
