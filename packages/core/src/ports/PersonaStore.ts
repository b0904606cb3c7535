/**
 * The port to personas: who a run can act for. `default` always exists and is stored nowhere. Which servers a persona
 * may use is written with the server (policy's `Grants`).
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const idRule = "must be 1 to 64 of a-z, 0-9, _ and -, and begin with a letter or digit"

export const PersonaId = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,63}$/, { message: `a persona id ${idRule}` })
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
export class PersonaStoreError extends Schema.TaggedError<PersonaStoreError>()("PersonaStoreError", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

export const defaultPersona: Persona = { id: "default", name: "default", createdAt: 0 }

const isId = Schema.is(PersonaId)

/** What a layer keeps: those that were added. It is asked only about ids that can be in it. */
export interface PersonaRows {
  /** Sorted by id. */
  readonly all: Effect.Effect<ReadonlyArray<Persona>, PersonaStoreError>
  readonly find: (id: string) => Effect.Effect<Persona | undefined, PersonaStoreError>
  /** False: the id is taken, and nothing changed. */
  readonly add: (persona: Persona) => Effect.Effect<boolean, PersonaStoreError>
  /** False: there was none. */
  readonly remove: (id: string) => Effect.Effect<boolean, PersonaStoreError>
}

export class PersonaStore extends Context.Service<
  PersonaStore,
  {
    /** `default` first, then sorted by id. */
    readonly list: Effect.Effect<ReadonlyArray<Persona>, PersonaStoreError>
    readonly get: (id: string) => Effect.Effect<Persona, PersonaNotFound | PersonaStoreError>
    /** `name` absent: the id. */
    readonly add: (
      id: string,
      name?: string
    ) => Effect.Effect<Persona, PersonaIdInvalid | PersonaExists | PersonaStoreError>
    readonly remove: (
      id: string
    ) => Effect.Effect<void, PersonaNotFound | PersonaRequired | PersonaStoreError>
  }
>()("@cow/core/PersonaStore") {
  /** The rules, over what a layer keeps. */
  static readonly over = (rows: PersonaRows): PersonaStore["Service"] =>
    PersonaStore.of({
      list: Effect.map(rows.all, (stored) => [defaultPersona, ...stored]),
      get: Effect.fn("PersonaStore.get")(function* (id) {
        if (id === defaultPersona.id) return defaultPersona
        const found = isId(id) ? yield* rows.find(id) : undefined
        return found ?? (yield* new PersonaNotFound({ id }))
      }),
      add: Effect.fn("PersonaStore.add")(function* (id, name = id) {
        if (!isId(id)) return yield* new PersonaIdInvalid({ id, message: `persona id "${id}" ${idRule}` })
        if (id === defaultPersona.id) return yield* new PersonaExists({ id })
        const persona = { id, name, createdAt: yield* Clock.currentTimeMillis }
        return (yield* rows.add(persona)) ? persona : yield* new PersonaExists({ id })
      }),
      remove: Effect.fn("PersonaStore.remove")(function* (id) {
        if (id === defaultPersona.id) return yield* new PersonaRequired({ id })
        if (!(isId(id) && (yield* rows.remove(id)))) return yield* new PersonaNotFound({ id })
      })
    })

  /** In this process only. */
  static readonly layerMemory: Layer.Layer<PersonaStore> = Layer.sync(PersonaStore, () => {
    const personas = new Map<string, Persona>()
    return PersonaStore.over({
      all: Effect.sync(() => [...personas.values()].sort((left, right) => (left.id < right.id ? -1 : 1))),
      find: (id) => Effect.sync(() => personas.get(id)),
      add: (persona) =>
        Effect.sync(() => {
          if (personas.has(persona.id)) return false
          personas.set(persona.id, persona)
          return true
        }),
      remove: (id) => Effect.sync(() => personas.delete(id))
    })
  })
}
