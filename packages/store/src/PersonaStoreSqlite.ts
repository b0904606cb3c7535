/**
 * The layer of core's `PersonaStore` in `state.db`, which is opened by the first question that `default` alone does not
 * answer.
 */
import { type Persona, PersonaStore, PersonaStoreError, type Row, StateDb } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as OwnedTables from "./OwnedTables.ts"
import * as StoredRow from "./StoredRow.ts"

const migrations = {
  owner: "personas",
  steps: ["CREATE TABLE personas (id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL)"]
}

const Stored = Schema.Struct({ id: Schema.String, name: Schema.String, createdAt: Schema.Number })

const make = (db: StateDb["Service"]) => {
  const using = OwnedTables.make(
    db,
    migrations,
    (cause) => new PersonaStoreError({ message: cause.message, cause })
  )
  const read = (rows: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<Persona>> =>
    StoredRow.readAll(Stored, rows, ({ id }) => `persona ${id}`)
  const select = "SELECT id, name, created_at AS createdAt FROM personas"
  return PersonaStore.over({
    all: using(Effect.flatMap(db.all(`${select} ORDER BY id`), read)),
    find: (id) =>
      using(Effect.map(Effect.flatMap(db.all(`${select} WHERE id = ?`, [id]), read), ([persona]) => persona)),
    add: ({ createdAt, id, name }) =>
      using(
        Effect.map(
          db.run("INSERT INTO personas (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING", [
            id,
            name,
            createdAt
          ]),
          (added) => added > 0
        )
      ),
    remove: (id) =>
      using(Effect.map(db.run("DELETE FROM personas WHERE id = ?", [id]), (removed) => removed > 0))
  })
}

export const layer: Layer.Layer<PersonaStore, never, StateDb> = Layer.effect(
  PersonaStore,
  Effect.map(StateDb, make)
)
