/** This is the layer for bun:sqlite in tests: a `StateDb` in memory, or one that cannot be read. */
import { Database, type SQLQueryBindings } from "bun:sqlite"
import { StateDb, StateDbError } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** `opened` counts how often anything was asked of it. */
export const layerMemory = (opened = { count: 0 }): Layer.Layer<StateDb> =>
  Layer.sync(StateDb, () => {
    const db = new Database(":memory:")
    const migrated = new Set<string>()
    const attempt = <A>(work: () => A) =>
      Effect.try({
        try: () => {
          opened.count++
          return work()
        },
        catch: (cause) => new StateDbError({ message: String(cause), cause })
      })
    return StateDb.of({
      migrate: ({ owner, steps }) =>
        attempt(() => {
          if (!migrated.has(owner)) for (const step of steps) db.run(step)
          migrated.add(owner)
        }),
      all: (sql, params = []) =>
        attempt(() => db.query(sql).all(...(params as Array<SQLQueryBindings>)) as never),
      run: (sql, params = []) =>
        attempt(() => db.query(sql).run(...(params as Array<SQLQueryBindings>)).changes),
      transaction: (effect) =>
        Effect.andThen(
          attempt(() => db.run("BEGIN")),
          Effect.tapCause(
            Effect.tap(effect, () => attempt(() => db.run("COMMIT"))),
            () => attempt(() => db.run("ROLLBACK"))
          )
        )
    })
  })

const failure = Effect.fail(new StateDbError({ message: "state.db cannot be read", cause: "test" }))

/** Fails whatever is asked. */
export const layerBroken: Layer.Layer<StateDb> = Layer.succeed(StateDb, {
  migrate: () => failure,
  all: () => failure,
  run: () => failure,
  transaction: () => failure
})
