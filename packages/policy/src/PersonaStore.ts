/**
 * Who a run can act for: personas in `state.db`. `default` always exists and is stored nowhere.
 *
 * The database is opened by the first question that `default` alone does not answer. Which servers a persona may
 * use is written with the server (`Grants`).
 */
import { type Migrations, StateDb, type StateDbError } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

export const PersonaId = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,63}$/, {
    message: "a persona id has 1 to 64 of a-z, 0-9, _ and -, and begins with a letter or digit"
  })
)

/** `createdAt`: milliseconds since 1970; 0 for `default`. */
export const Persona = Schema.Struct({ id: PersonaId, name: Schema.String, createdAt: Schema.Number })
export type Persona = typeof Persona.Type

export class PersonaIdInvalid extends Schema.TaggedError<PersonaIdInvalid>()("PersonaIdInvalid", {
  id: Schema.String,
  message: Schema.String
}) {}
export class PersonaExists extends Schema.TaggedError<PersonaExists>()("PersonaExists", {
  id: Schema.String
}) {}
export class PersonaNotFound extends Schema.TaggedError<PersonaNotFound>()("PersonaNotFound", {
  id: Schema.String
}) {}
/** `default` cannot be removed. */
export class PersonaRequired extends Schema.TaggedError<PersonaRequired>()("PersonaRequired", {
  id: Schema.String
}) {}

export const defaultPersona: Persona = { id: "default", name: "default", createdAt: 0 }

const migrations: Migrations = {
  owner: "personas",
  steps: ["CREATE TABLE personas (id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL)"]
}

const Stored = Schema.Struct({ id: Schema.String, name: Schema.String, created_at: Schema.Number })
const decodeStored = Schema.decodeUnknownSync(Stored)
const isId = Schema.is(PersonaId)

const idMessage = (id: string) =>
  `persona id "${id}" must be 1 to 64 of a-z, 0-9, _ and -, and begin with a letter or digit`

export class PersonaStore extends Context.Service<
  PersonaStore,
  {
    /** `default` first, then sorted by id. */
    readonly list: Effect.Effect<ReadonlyArray<Persona>, StateDbError>
    readonly get: (id: string) => Effect.Effect<Persona, PersonaNotFound | StateDbError>
    /** `name` absent: the id. */
    readonly add: (
      id: string,
      name?: string
    ) => Effect.Effect<Persona, PersonaIdInvalid | PersonaExists | StateDbError>
    readonly remove: (id: string) => Effect.Effect<void, PersonaNotFound | PersonaRequired | StateDbError>
  }
>()("@cow/policy/PersonaStore") {
  static readonly layer: Layer.Layer<PersonaStore, never, StateDb> = Layer.effect(
    PersonaStore,
    Effect.gen(function* () {
      const db = yield* StateDb
      const rows = Effect.fnUntraced(function* (where: string, params: ReadonlyArray<string>) {
        yield* db.migrate(migrations)
        const found = yield* db.all(`SELECT id, name, created_at FROM personas ${where}`, params)
        return found.map((row): Persona => {
          const { created_at, id, name } = decodeStored(row)
          return { id, name, createdAt: created_at }
        })
      })
      return PersonaStore.of({
        list: Effect.map(rows("ORDER BY id", []), (stored) => [defaultPersona, ...stored]),
        get: Effect.fn("PersonaStore.get")(function* (id) {
          if (id === defaultPersona.id) return defaultPersona
          const [found] = isId(id) ? yield* rows("WHERE id = ?", [id]) : []
          return found ?? (yield* new PersonaNotFound({ id }))
        }),
        add: Effect.fn("PersonaStore.add")(function* (id, name = id) {
          if (!isId(id)) return yield* new PersonaIdInvalid({ id, message: idMessage(id) })
          if (id === defaultPersona.id) return yield* new PersonaExists({ id })
          const createdAt = yield* Clock.currentTimeMillis
          yield* db.migrate(migrations)
          const added = yield* db.run(
            "INSERT INTO personas (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
            [id, name, createdAt]
          )
          return added === 0 ? yield* new PersonaExists({ id }) : { id, name, createdAt }
        }),
        remove: Effect.fn("PersonaStore.remove")(function* (id) {
          if (id === defaultPersona.id) return yield* new PersonaRequired({ id })
          yield* db.migrate(migrations)
          const removed = yield* db.run("DELETE FROM personas WHERE id = ?", [id])
          if (removed === 0) return yield* new PersonaNotFound({ id })
        })
      })
    })
  )
}
