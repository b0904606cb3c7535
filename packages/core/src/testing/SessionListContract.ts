/** What every layer of `SessionStore` keeps of its list. The rest is `SessionStoreContract`, whose cases these are part of. */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { userText } from "../model/Message.ts"
import { type SessionList, SessionStore } from "../ports/SessionStore.ts"
import * as Contract from "./Contract.ts"

const { same } = Contract

type Store = SessionStore["Service"]

/** One message to an empty session. */
const say = (store: Store, id: string, text: string) =>
  store.write(id, { revision: 0, keep: 0, messages: [userText(text)] })

const page = (store: Store, request?: SessionList) =>
  Effect.map(store.list(request), ({ items, next }) => ({
    ids: items.map(({ id }) => id),
    next
  }))

const one = <E>(name: string, body: (store: Store) => Effect.Effect<void, E>) =>
  Contract.make(name, Effect.flatMap(SessionStore, body))

export const cases: ReadonlyArray<Contract.Case<SessionStore>> = [
  one("the list is newest first, by the last write, then by id", (store) =>
    Effect.gen(function* () {
      for (const id of ["b", "a", "c"]) yield* store.create({ id, workspace: "/w" })
      yield* TestClock.adjust("1 minute")
      yield* say(store, "c", "hi")
      yield* same("the list", yield* page(store), { ids: ["c", "a", "b"], next: null })
      yield* same("its first", (yield* store.list()).items[0], yield* store.get("c"))
    })
  ),
  one("the list comes page by page, and what is written meanwhile is not seen twice", (store) =>
    Effect.gen(function* () {
      for (const id of ["a", "b", "c", "d", "e"]) {
        yield* TestClock.adjust(id > "b" ? "1 second" : "0 seconds")
        yield* store.create({ id, workspace: "/w" })
      }
      const first = yield* page(store, { limit: 2 })
      yield* same("the first page", first.ids, ["e", "d"])
      yield* TestClock.adjust("1 second")
      yield* store.create({ id: "new", workspace: "/w" })
      yield* say(store, "d", "changed")
      const none = { at: 0, id: "" }
      const second = yield* page(store, { limit: 2, cursor: first.next ?? none })
      yield* same("the second", second.ids, ["c", "a"])
      const third = yield* page(store, { limit: 2, cursor: second.next ?? none })
      yield* same("the last", third, { ids: ["b"], next: null })
    })
  ),
  one("the list can be narrowed to a workspace", (store) =>
    Effect.gen(function* () {
      for (const [at, id] of ["a", "b", "c", "d", "e"].entries()) {
        yield* TestClock.adjust("1 second")
        yield* store.create({ id, workspace: at % 2 === 0 ? "/even" : "/odd" })
      }
      yield* same("all of it", yield* page(store, { workspace: "/even", limit: 3 }), {
        ids: ["e", "c", "a"],
        next: null
      })
      yield* same("the newest", (yield* page(store, { workspace: "/odd", limit: 1 })).ids, ["d"])
      yield* same("another's", (yield* page(store, { workspace: "/ev" })).ids, [])
    })
  )
]
