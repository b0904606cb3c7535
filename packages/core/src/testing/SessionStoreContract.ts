/** What every layer of `SessionStore` keeps; of its list alone, `SessionListContract`. */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Message from "../model/Message.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import * as Contract from "./Contract.ts"
import * as SessionListContract from "./SessionListContract.ts"
import { everyPart } from "./SomeMessages.ts"

const { assistantText, userText } = Message
const { fails, same } = Contract

const created = { id: "s", workspace: "/w" }

type Store = SessionStore["Service"]

/** On top of whatever is there. */
const put = (store: Store, id: string, keep: number, messages: ReadonlyArray<Message.Message>) =>
  Effect.flatMap(store.load(id), ({ revision }) => store.write(id, { revision, keep, messages }))

const texts = (store: Store, id: string) =>
  Effect.map(store.messages(id), (messages) => messages.map(Message.textOf))

const one = <E>(name: string, body: (store: Store) => Effect.Effect<void, E>) =>
  Contract.make(name, Effect.flatMap(SessionStore, body))

export const cases: ReadonlyArray<Contract.Case<SessionStore>> = [
  one("a new one is empty, has no title yet, and is at revision 0", (store) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(5)
      yield* store.create(created)
      const times = { createdAt: 5, updatedAt: 5 }
      const info = { ...created, title: "", ...times, messageCount: 0, revision: 0 }
      yield* same("the session", yield* store.get("s"), info)
      yield* same("its messages", yield* store.messages("s"), [])
      const state = { revision: 0, messages: [], tools: { sent: [], chosen: [] }, summary: null }
      yield* same("its state", yield* store.load("s"), state)
    })
  ),
  one("creating one that exists changes nothing", (store) =>
    Effect.gen(function* () {
      yield* store.create(created)
      yield* put(store, "s", 0, [userText("hello")])
      const before = yield* store.get("s")
      yield* TestClock.adjust("1 hour")
      yield* store.create({ id: "s", workspace: "/elsewhere" })
      yield* same("the session", yield* store.get("s"), before)
      yield* same("its messages", yield* store.messages("s"), [userText("hello")])
    })
  ),
  one("messages of every kind come back as they were written", (store) =>
    Effect.gen(function* () {
      yield* store.create(created)
      yield* put(store, "s", 0, everyPart)
      yield* same("the messages", yield* store.messages("s"), everyPart)
      yield* same("the state's messages", (yield* store.load("s")).messages, everyPart)
    })
  ),
  one("each write adds one to the revision, and gives it", (store) =>
    Effect.gen(function* () {
      yield* store.create(created)
      const first = yield* store.write("s", { revision: 0, keep: 0, messages: [userText("a")] })
      yield* same("the first", first, 1)
      yield* same("an empty one", yield* store.write("s", { revision: 1, keep: 9, messages: [] }), 2)
      yield* same("the session's", (yield* store.get("s")).revision, 2)
      yield* same("the state's", (yield* store.load("s")).revision, 2)
      yield* same("the messages", yield* texts(store, "s"), ["a"])
    })
  ),
  one("a write on another revision than the session's is refused, and nothing is changed", (store) =>
    Effect.gen(function* () {
      yield* store.create(created)
      yield* put(store, "s", 0, [userText("a")])
      yield* put(store, "s", 1, [assistantText("b")])
      const before = yield* store.get("s")
      yield* TestClock.adjust("1 hour")
      for (const revision of [0, 1, 3]) {
        const tools = { sent: ["x"], chosen: ["x"] }
        const write = store.write("s", { revision, keep: 0, messages: [userText("mine")], tools })
        const expected = { _tag: "SessionConflict", id: "s", expected: revision, found: 2 }
        yield* fails(`a write on revision ${revision}`, write, expected)
      }
      yield* same("the session", yield* store.get("s"), before)
      yield* same("the messages", yield* texts(store, "s"), ["a", "b"])
      yield* same("the tools", (yield* store.load("s")).tools, { sent: [], chosen: [] })
    })
  ),
  one("of many writes on the same revision one is taken", (store) =>
    Effect.gen(function* () {
      yield* store.create(created)
      const tries = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, at) => `${at}`),
        (text) => Effect.result(store.write("s", { revision: 0, keep: 0, messages: [userText(text)] })),
        { concurrency: "unbounded" }
      )
      const won = tries.flatMap(({ _tag }, at) => (_tag === "Success" ? [`${at}`] : []))
      yield* same("how many were taken", won.length, 1)
      yield* same("the messages", yield* texts(store, "s"), won)
    })
  ),
  one(
    "what it keeps of its tools is written with messages or without, and stays where it is not told",
    (store) =>
      Effect.gen(function* () {
        yield* store.create(created)
        const tools = { sent: ["b", "a", 'c "\u{1F404}'], chosen: ["a"] }
        yield* store.write("s", { revision: 0, keep: 0, messages: [userText("x")], tools })
        yield* store.write("s", { revision: 1, keep: 1, messages: [assistantText("y")] })
        yield* same("the tools", (yield* store.load("s")).tools, tools)
        const fewer = { sent: [], chosen: ["a", "d"] }
        yield* store.write("s", { revision: 2, keep: 2, messages: [], tools: fewer })
        yield* same("the tools later", (yield* store.load("s")).tools, fewer)
        yield* same("the messages", yield* texts(store, "s"), ["x", "y"])
      })
  ),
  one("the title is the first text of the user's and stays", (store) =>
    Effect.gen(function* () {
      const title = Effect.map(store.get("s"), (info) => info.title)
      yield* store.create(created)
      yield* put(store, "s", 0, [{ role: "user", parts: [] }])
      yield* same("the title of no text", yield* title, "")
      yield* put(store, "s", 1, [assistantText("I speak first"), userText("  what\n is  up ")])
      yield* same("the title", yield* title, "what is up")
      yield* put(store, "s", 0, [userText("something else")])
      yield* same("the title later", yield* title, "what is up")
    })
  ),
  one(
    "a summary of its beginning is written with messages or without, stays where it is not told, and can go",
    (store) =>
      Effect.gen(function* () {
        yield* store.create(created)
        const summary = { upTo: 2, text: 'a "summary"\n\u{1F404}' }
        const kept = Effect.map(store.load("s"), (state) => state.summary)
        yield* store.write("s", { revision: 0, keep: 0, messages: [userText("x")], summary })
        yield* same("the summary", yield* kept, summary)
        yield* put(store, "s", 1, [userText("y")])
        yield* same("the summary after other words", yield* kept, summary)
        const next = { upTo: 4, text: "" }
        yield* store.write("s", { revision: 2, keep: 2, messages: [], summary: next })
        yield* same("the next summary", yield* kept, next)
        yield* store.write("s", { revision: 3, keep: 2, messages: [], summary: null })
        yield* same("no summary", yield* kept, null)
      })
  ),
  one("a removed one is gone with all it had, and its id can be used again", (store) =>
    Effect.gen(function* () {
      yield* store.create(created)
      yield* store.create({ id: "other", workspace: "/w" })
      const tools = { sent: ["x"], chosen: [] }
      yield* store.write("s", { revision: 0, keep: 0, messages: [userText("secret")], tools })
      yield* put(store, "other", 0, [userText("stays")])
      yield* store.remove("s")
      yield* fails("what was removed", store.get("s"), { _tag: "SessionNotFound", id: "s" })
      const ids = (yield* store.list()).items.map(({ id }) => id)
      yield* same("the list", ids, ["other"])
      yield* store.create(created)
      const state = { revision: 0, messages: [], tools: { sent: [], chosen: [] }, summary: null }
      yield* same("the new one", yield* store.load("s"), state)
      yield* same("the other's messages", yield* texts(store, "other"), ["stays"])
    })
  ),
  one("what is asked of one that does not exist fails with its id", (store) =>
    Effect.gen(function* () {
      const write = { revision: 0, keep: 0, messages: [userText("x")] }
      const expected = { _tag: "SessionNotFound", id: "no" }
      yield* fails("get", store.get("no"), expected)
      yield* fails("load", store.load("no"), expected)
      yield* fails("messages", store.messages("no"), expected)
      yield* fails("write", store.write("no", write), expected)
      yield* fails("remove", store.remove("no"), expected)
      yield* same("the list", yield* store.list(), { items: [], next: null })
    })
  ),
  one("writes of several sessions at once do not mix", (store) =>
    Effect.gen(function* () {
      const ids = ["one", "two", "three"]
      yield* Effect.forEach(
        ids,
        Effect.fnUntraced(function* (id) {
          yield* store.create({ id, workspace: "/w" })
          for (let at = 0; at < 5; at++) {
            yield* store.write(id, { revision: at, keep: at, messages: [userText(`${id} ${at}`)] })
            yield* Effect.yieldNow
          }
        }),
        { concurrency: "unbounded" }
      )
      for (const id of ids)
        yield* same(
          id,
          yield* texts(store, id),
          [0, 1, 2, 3, 4].map((at) => `${id} ${at}`)
        )
    })
  ),
  ...SessionListContract.cases
]
