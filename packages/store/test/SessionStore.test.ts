import { describe, expect, test } from "bun:test"
import { Message, SessionStore, StateDb } from "@cow/core"
import { SessionStoreContract } from "@cow/core/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { holds } from "../../core/test/testing/Holds.ts"
import { SessionStoreSqlite, StateDbSqlite } from "../src/index.ts"
import { captured } from "./CapturedLog.ts"

const { assistantText, userText } = Message

const layers: ReadonlyArray<[string, Layer.Layer<SessionStore>]> = [
  ["in memory", SessionStore.layerMemory],
  ["in SQLite", SessionStoreSqlite.layer.pipe(Layer.provide(StateDbSqlite.layerMemory))]
]

for (const [name, layer] of layers)
  describe(`sessions ${name}`, () => {
    const run = <A, E>(body: (store: SessionStore["Service"]) => Effect.Effect<A, E>): Promise<A> =>
      Effect.flatMap(SessionStore, body).pipe(Effect.provide(Layer.fresh(layer)), Effect.runPromise)
    const created = { id: "s", workspace: "/w" }

    holds(SessionStoreContract.cases, layer)

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
                for (const [revision, [keep, texts]] of writes.entries()) {
                  const added = texts.map((text, at) => (at % 2 === 0 ? userText(text) : assistantText(text)))
                  yield* store.write("s", { revision, keep, messages: added })
                  model = [...model.slice(0, Math.max(keep, 0)), ...added]
                }
                expect(yield* store.messages("s")).toEqual([...model])
                expect((yield* store.get("s")).messageCount).toBe(model.length)
              })
            )
        ),
        { numRuns: 40 }
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
        yield* store.write("s", {
          revision: 0,
          keep: 0,
          messages: [userText("one"), assistantText("two"), userText("three")]
        })
        yield* db.run(`UPDATE messages SET body = '{"role":"assistant","parts":"no"}' WHERE position = 1`)
        const read = yield* store.messages("s")
        expect(read.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
        expect(Message.textOf(read[1] as Message.Message)).toContain("could not be read")
        yield* store.write("s", { revision: 1, keep: 2, messages: [userText("new three")] })
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
      yield* store.write("s", {
        revision: 0,
        keep: 0,
        messages: [userText("one"), assistantText("two"), userText("three")]
      })
      const before = yield* rows
      yield* db.run(
        `CREATE TRIGGER guard BEFORE DELETE ON messages WHEN old.position < 2
         BEGIN SELECT raise(ABORT, 'touched'); END`
      )
      yield* store.write("s", { revision: 1, keep: 2, messages: [userText("3"), assistantText("4")] })
      expect((yield* rows).slice(0, 2)).toEqual(before.slice(0, 2))
    }).pipe(Effect.provide(Layer.fresh(layer)), Effect.runPromise))
})
