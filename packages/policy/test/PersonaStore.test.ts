import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { PersonaStore } from "../src/index.ts"
import * as StateDbTest from "./StateDbTest.ts"

const run = <A, E>(effect: Effect.Effect<A, E, PersonaStore>, opened = { count: 0 }) =>
  effect.pipe(
    Effect.provide(PersonaStore.layer),
    Effect.provide(StateDbTest.layerMemory(opened)),
    Effect.runPromise
  )
const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

describe("PersonaStore", () => {
  test("the default persona exists before anything was added, and costs no database", async () => {
    const opened = { count: 0 }
    const persona = await run(
      Effect.flatMap(PersonaStore, (store) => store.get("default")),
      opened
    )
    expect(persona).toEqual({ id: "default", name: "default", createdAt: 0 })
    expect(opened.count).toBe(0)
  })

  test("an added persona is found and listed after default, and is gone once removed", () =>
    run(
      Effect.gen(function* () {
        const store = yield* PersonaStore
        yield* store.add("zoe", "Zoe")
        yield* store.add("amy")
        expect((yield* store.get("zoe")).name).toBe("Zoe")
        expect((yield* store.list).map(({ id }) => id)).toEqual(["default", "amy", "zoe"])
        yield* store.remove("zoe")
        expect(yield* tagOf(store.get("zoe"))).toBe("PersonaNotFound")
      })
    ))

  test("an id that exists is refused and changes nothing", () =>
    run(
      Effect.gen(function* () {
        const store = yield* PersonaStore
        yield* store.add("amy", "Amy")
        expect(yield* tagOf(store.add("amy", "Other"))).toBe("PersonaExists")
        expect(yield* tagOf(store.add("default"))).toBe("PersonaExists")
        expect((yield* store.get("amy")).name).toBe("Amy")
      })
    ))

  test.each(["*", "", "A", "-a", "a b", "é", "a".repeat(65)])("the id %j is refused", (id) =>
    run(
      Effect.gen(function* () {
        const store = yield* PersonaStore
        expect(yield* tagOf(store.add(id))).toBe("PersonaIdInvalid")
        expect(yield* tagOf(store.get(id))).toBe("PersonaNotFound")
      })
    )
  )

  test("default cannot be removed, and neither can one that is not there", () =>
    run(
      Effect.gen(function* () {
        const store = yield* PersonaStore
        expect(yield* tagOf(store.remove("default"))).toBe("PersonaRequired")
        expect(yield* tagOf(store.remove("amy"))).toBe("PersonaNotFound")
      })
    ))
})
