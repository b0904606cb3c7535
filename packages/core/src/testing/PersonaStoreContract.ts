/** What every layer of `PersonaStore` keeps. */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { PersonaStore } from "../ports/PersonaStore.ts"
import * as Contract from "./Contract.ts"

const { fails, same } = Contract

const one = <E>(name: string, body: (store: PersonaStore["Service"]) => Effect.Effect<void, E>) =>
  Contract.make(name, Effect.flatMap(PersonaStore, body))

const impossible = ["*", "", "A", "-a", "a b", "é", "a".repeat(65)]

export const cases: ReadonlyArray<Contract.Case<PersonaStore>> = [
  one("the default persona exists before anything was added", (store) =>
    Effect.gen(function* () {
      const persona = { id: "default", name: "default", createdAt: 0 }
      yield* same("it", yield* store.get("default"), persona)
      yield* same("the list", yield* store.list, [persona])
    })
  ),
  one("an added persona is found and listed after default, and is gone once removed", (store) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(7)
      yield* same("the added", yield* store.add("zoe", "Zoe"), { id: "zoe", name: "Zoe", createdAt: 7 })
      yield* store.add("amy")
      yield* same("the found", yield* store.get("zoe"), { id: "zoe", name: "Zoe", createdAt: 7 })
      yield* same("one without a name", (yield* store.get("amy")).name, "amy")
      const ids = Effect.map(store.list, (all) => all.map(({ id }) => id))
      yield* same("the list", yield* ids, ["default", "amy", "zoe"])
      yield* store.remove("zoe")
      yield* fails("the removed", store.get("zoe"), { _tag: "PersonaNotFound", id: "zoe" })
      yield* same("the list later", yield* ids, ["default", "amy"])
    })
  ),
  one("an id that exists is refused and changes nothing", (store) =>
    Effect.gen(function* () {
      yield* store.add("amy", "Amy")
      yield* fails("another", store.add("amy", "Other"), { _tag: "PersonaExists", id: "amy" })
      yield* fails("default", store.add("default"), { _tag: "PersonaExists", id: "default" })
      yield* same("the name", (yield* store.get("amy")).name, "Amy")
    })
  ),
  one("an id that cannot be one is refused, and none of it is there", (store) =>
    Effect.gen(function* () {
      for (const id of impossible) {
        yield* fails(`adding ${id}`, store.add(id), { _tag: "PersonaIdInvalid", id })
        yield* fails(`getting ${id}`, store.get(id), { _tag: "PersonaNotFound", id })
        yield* fails(`removing ${id}`, store.remove(id), { _tag: "PersonaNotFound", id })
      }
    })
  ),
  one("default cannot be removed, and neither can one that is not there", (store) =>
    Effect.gen(function* () {
      yield* fails("default", store.remove("default"), { _tag: "PersonaRequired", id: "default" })
      yield* fails("none", store.remove("amy"), { _tag: "PersonaNotFound", id: "amy" })
    })
  )
]
