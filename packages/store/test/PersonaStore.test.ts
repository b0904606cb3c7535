import { describe, expect, test } from "bun:test"
import { PersonaStore, StateDb, StateDbError } from "@cow/core"
import { PersonaStoreContract } from "@cow/core/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { holds } from "../../core/test/testing/Holds.ts"
import { PersonaStoreSqlite, StateDbSqlite } from "../src/index.ts"

describe("personas in SQLite", () => {
  holds(PersonaStoreContract.cases, PersonaStoreSqlite.layer.pipe(Layer.provide(StateDbSqlite.layerMemory)))

  test("default costs no database", async () => {
    const broken = Effect.fail(new StateDbError({ message: "state.db cannot be read", cause: "test" }))
    const db = Layer.succeed(StateDb, {
      migrate: () => broken,
      all: () => broken,
      run: () => broken,
      transaction: () => broken
    })
    const [found, error] = await Effect.flatMap(PersonaStore, (store) =>
      Effect.all([store.get("default"), Effect.flip(store.get("amy"))])
    ).pipe(Effect.provide(PersonaStoreSqlite.layer.pipe(Layer.provide(db))), Effect.runPromise)
    expect(found.id).toBe("default")
    expect(error).toMatchObject({ _tag: "PersonaStoreError", message: "state.db cannot be read" })
  })
})
