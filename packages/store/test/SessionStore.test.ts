import { describe, expect, test } from "bun:test"
import { Message, SessionStore, StateDb } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { SessionStoreSqlite, StateDbSqlite } from "../src/index.ts"
import { captured } from "./CapturedLog.ts"

const { assistantText, userText } = Message

const layers: ReadonlyArray<[string, Layer.Layer<SessionStore>]> = [
  ["in memory", SessionStore.layerMemory],
  ["in SQLite", SessionStoreSqlite.layer.pipe(Layer.provide(StateDbSqlite.layerMemory))]
]

/** One message of every kind of part, with text that storage likes to break. */
const allParts: ReadonlyArray<Message.Message> = [
  {
    role: "user",
    parts: [
      Message.text('quotes " \\ and \0 and \u2028 and \u{1F404}'),
      { type: "image", mediaType: "image/png", data: "aGVq" }
    ]
  },
  {
    role: "assistant",
    parts: [
      { type: "reasoning", text: "hm", providerData: { anthropic: { signature: "abc" } } },
      Message.text("lone \ud800 half"),
      { type: "tool_call", id: "1", name: "read", input: { path: "a", deep: [1, null, { x: true }] } }
    ]
  },
  {
    role: "user",
    parts: [{ type: "tool_result", callId: "1", name: "read", status: "denied", content: [Message.text("")] }]
  },
  { role: "assistant", parts: [] }
]

for (const [name, layer] of layers)
  describe(`sessions ${name}`, () => {
    const run = <A, E>(body: (store: SessionStore["Service"]) => Effect.Effect<A, E>): Promise<A> =>
      Effect.flatMap(SessionStore, body).pipe(
        Effect.provide(Layer.merge(Layer.fresh(layer), TestClock.layer())),
        Effect.runPromise
      )
    const created = { id: "s", workspace: "/w" }

    test("a new one is empty and has no title yet", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(5)
          yield* store.create(created)
          expect(yield* store.get("s")).toEqual({
            ...created,
            title: "",
            createdAt: 5,
            updatedAt: 5,
            messageCount: 0
          })
          expect(yield* store.messages("s")).toEqual([])
        })
      ))

    test("creating one that exists changes nothing", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.create(created)
          yield* store.write("s", 0, [userText("hello")])
          const before = yield* store.get("s")
          yield* TestClock.adjust("1 hour")
          yield* store.create({ id: "s", workspace: "/elsewhere" })
          expect(yield* store.get("s")).toEqual(before)
          expect(yield* store.messages("s")).toEqual([userText("hello")])
        })
      ))

    test("messages of every kind come back as they were written", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.create(created)
          yield* store.write("s", 0, allParts)
          expect(yield* store.messages("s")).toEqual([...allParts])
        })
      ))

    test("any sequence of writes gives what an array would", () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.integer({ min: -1, max: 6 }), fc.array(fc.string(), { maxLength: 3 })), {
            maxLength: 8
          }),
          (writes) =>
            run((store) =>
              Effect.gen(function* () {
                yield* store.create(created)
                let model: ReadonlyArray<Message.Message> = []
                for (const [keep, texts] of writes) {
                  const added = texts.map((text, at) => (at % 2 === 0 ? userText(text) : assistantText(text)))
                  yield* store.write("s", keep, added)
                  model = [...model.slice(0, Math.max(keep, 0)), ...added]
                }
                expect(yield* store.messages("s")).toEqual([...model])
                expect((yield* store.get("s")).messageCount).toBe(model.length)
              })
            )
        ),
        { numRuns: 40 }
      ))

    test("the title is the first text of the user's and stays", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.create(created)
          yield* store.write("s", 0, [{ role: "user", parts: [] }])
          expect((yield* store.get("s")).title).toBe("")
          yield* store.write("s", 1, [assistantText("I speak first"), userText("  what\n is  up ")])
          expect((yield* store.get("s")).title).toBe("what is up")
          yield* store.write("s", 0, [userText("something else")])
          expect((yield* store.get("s")).title).toBe("what is up")
        })
      ))

    test("the list is newest first, by the last write, then by id", () =>
      run((store) =>
        Effect.gen(function* () {
          for (const id of ["b", "a", "c"]) yield* store.create({ id, workspace: "/w" })
          yield* TestClock.adjust("1 minute")
          yield* store.write("c", 0, [userText("hi")])
          expect((yield* store.list()).items.map(({ id }) => id)).toEqual(["c", "a", "b"])
          expect((yield* store.list()).items[0]).toEqual(yield* store.get("c"))
        })
      ))

    test("the list comes page by page, of one workspace or all, and what is written meanwhile is not seen twice", () =>
      run((store) =>
        Effect.gen(function* () {
          const write = (id: string) =>
            Effect.andThen(TestClock.adjust("1 second"), store.write(id, 0, [userText(id)]))
          for (const [at, id] of ["a", "b", "c", "d", "e"].entries()) {
            yield* store.create({ id, workspace: at % 2 === 0 ? "/even" : "/odd" })
            if (at > 1) yield* write(id)
          }
          const page = (request: Parameters<typeof store.list>[0]) =>
            Effect.map(store.list(request), ({ items, next }) => ({ ids: items.map(({ id }) => id), next }))
          const first = yield* page({ limit: 2 })
          expect(first.ids).toEqual(["e", "d"])
          // One comes in front, and one that was shown is changed.
          yield* store.create({ id: "new", workspace: "/odd" })
          yield* write("d")
          const second = yield* page({ limit: 2, cursor: first.next ?? { at: 0, id: "" } })
          expect(second.ids).toEqual(["c", "a"])
          const third = yield* page({ limit: 2, cursor: second.next ?? { at: 0, id: "" } })
          expect(third).toEqual({ ids: ["b"], next: null })
          expect((yield* page({ workspace: "/even" })).ids).toEqual(["e", "c", "a"])
          expect(yield* page({ workspace: "/even", limit: 3 })).toEqual({ ids: ["e", "c", "a"], next: null })
          expect((yield* page({ workspace: "/odd", limit: 1 })).ids).toEqual(["d"])
          expect((yield* page({ workspace: "/none" })).ids).toEqual([])
        })
      ))

    test("a removed one is gone with its messages, and its id can be used again", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.create(created)
          yield* store.create({ id: "other", workspace: "/w" })
          yield* store.write("s", 0, [userText("secret")])
          yield* store.write("other", 0, [userText("stays")])
          yield* store.remove("s")
          expect((yield* store.list()).items.map(({ id }) => id)).toEqual(["other"])
          yield* store.create(created)
          expect(yield* store.messages("s")).toEqual([])
          expect(yield* store.messages("other")).toEqual([userText("stays")])
        })
      ))

    test("what is asked of one that does not exist fails with its id", () =>
      run((store) =>
        Effect.gen(function* () {
          for (const effect of [
            store.get("no"),
            store.messages("no"),
            store.write("no", 0, [userText("x")]),
            store.remove("no")
          ]) {
            const error = yield* Effect.flip(effect as Effect.Effect<unknown, { _tag: string; id?: string }>)
            expect([error._tag, error.id]).toEqual(["SessionNotFound", "no"])
          }
          expect(yield* store.list()).toEqual({ items: [], next: null })
        })
      ))

    test("parallel writers of different sessions do not disturb each other", () =>
      run((store) =>
        Effect.gen(function* () {
          const ids = Array.from({ length: 20 }, (_, n) => `s${n}`)
          yield* Effect.forEach(
            ids,
            (id) =>
              Effect.gen(function* () {
                yield* store.create({ id, workspace: "/w" })
                for (let at = 0; at < 5; at++) {
                  yield* store.write(id, at, [userText(`${id} ${at}`)])
                  yield* Effect.yieldNow
                }
              }),
            { concurrency: "unbounded" }
          )
          for (const id of ids)
            expect((yield* store.messages(id)).map(Message.textOf)).toEqual(
              [0, 1, 2, 3, 4].map((at) => `${id} ${at}`)
            )
        })
      ))
  })

describe("sessions in SQLite, damaged", () => {
  const layer = SessionStoreSqlite.layer.pipe(Layer.provideMerge(StateDbSqlite.layerMemory))

  test("a session row that cannot be decoded is reported and the others are listed", () =>
    captured(
      Effect.gen(function* () {
        const store = yield* SessionStore
        const db = yield* StateDb
        yield* store.create({ id: "good", workspace: "/w" })
        yield* store.create({ id: "bad", workspace: "/w" })
        // An integer beyond 2^53 would be rounded; a text where a number belongs cannot be stored at all.
        yield* db.run("ALTER TABLE sessions RENAME TO strict_sessions")
        yield* db.run("CREATE TABLE sessions AS SELECT * FROM strict_sessions")
        yield* db.run("UPDATE sessions SET created_at = 'yesterday' WHERE id = 'bad'")
        expect((yield* store.list()).items.map(({ id }) => id)).toEqual(["good"])
        const error = yield* Effect.flip(store.get("bad"))
        expect([error._tag, "message" in error && error.message]).toEqual([
          "SessionStoreError",
          "session bad cannot be read"
        ])
      }).pipe(Effect.provide(Layer.fresh(layer)))
    ).pipe(
      Effect.tap(({ lines }) =>
        Effect.sync(() => {
          expect(lines.length).toBe(2)
          expect(lines[0]).toStartWith("Warn session bad in state.db cannot be read:")
        })
      ),
      Effect.runPromise
    ))

  test("a message that cannot be decoded keeps its place, so that the others stay at theirs", () =>
    captured(
      Effect.gen(function* () {
        const store = yield* SessionStore
        const db = yield* StateDb
        yield* store.create({ id: "s", workspace: "/w" })
        yield* store.write("s", 0, [userText("one"), assistantText("two"), userText("three")])
        yield* db.run(`UPDATE messages SET body = '{"role":"assistant","parts":"no"}' WHERE position = 1`)
        const read = yield* store.messages("s")
        expect(read.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
        expect(Message.textOf(read[1] as Message.Message)).toContain("could not be read")
        yield* store.write("s", 2, [userText("new three")])
        expect((yield* store.messages("s")).map(Message.textOf)).toEqual([
          "one",
          "(this message could not be read from the store)",
          "new three"
        ])
      }).pipe(Effect.provide(Layer.fresh(layer)))
    ).pipe(
      Effect.tap(({ lines }) =>
        Effect.sync(() => {
          expect(lines[0]).toStartWith("Warn message 1 of session s in state.db cannot be read:")
        })
      ),
      Effect.runPromise
    ))

  test("a write touches no row before the place it starts at", () =>
    Effect.gen(function* () {
      const store = yield* SessionStore
      const db = yield* StateDb
      const rows = db.all("SELECT rowid, position FROM messages ORDER BY position")
      yield* store.create({ id: "s", workspace: "/w" })
      yield* store.write("s", 0, [userText("one"), assistantText("two"), userText("three")])
      const before = yield* rows
      yield* db.run(
        `CREATE TRIGGER guard BEFORE DELETE ON messages WHEN old.position < 2
         BEGIN SELECT raise(ABORT, 'touched'); END`
      )
      yield* store.write("s", 2, [userText("3"), assistantText("4")])
      expect((yield* rows).slice(0, 2)).toEqual(before.slice(0, 2))
    }).pipe(Effect.provide(Layer.fresh(layer)), Effect.runPromise))
})
