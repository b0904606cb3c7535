import { describe, expect, test } from "bun:test"
import { type AgentEvent, Run, RunStore, StateDb } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { RunStoreSqlite, StateDbSqlite } from "../src/index.ts"
import { captured } from "./CapturedLog.ts"
import { someRun } from "./SomeRun.ts"

const layers: ReadonlyArray<[string, Layer.Layer<RunStore>]> = [
  ["in memory", RunStore.layerMemory],
  ["in SQLite", RunStoreSqlite.layer.pipe(Layer.provide(StateDbSqlite.layerMemory))]
]

const text = (value: string): AgentEvent.AgentEvent => ({ type: "text_delta", text: value })

const pending: Run.PendingApproval = {
  callId: "c1",
  tool: "bash",
  server: "",
  input: { command: "rm -r x", deep: [null, 1] },
  reason: "it may change data"
}

for (const [name, layer] of layers)
  describe(`runs ${name}`, () => {
    const run = <A, E>(body: (store: RunStore["Service"]) => Effect.Effect<A, E>): Promise<A> =>
      Effect.flatMap(RunStore, body).pipe(
        Effect.provide(Layer.merge(Layer.fresh(layer), TestClock.layer())),
        Effect.runPromise
      )

    test("one comes back as it was created, with the time", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(7)
          const given = someRun("r", { pending, error: "e", status: "waiting_approval", steps: 3 })
          yield* store.create(given)
          expect(yield* store.get("r")).toEqual({ ...given, createdAt: 7, updatedAt: 7 })
        })
      ))

    test("an id that is taken is refused and the first run stays", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.create(someRun("r", { model: "first/one" }))
          const error = yield* Effect.flip(store.create(someRun("r", { model: "second/one" })))
          expect(error.message).toBe("run r exists already")
          expect((yield* store.get("r")).model).toBe("first/one")
        })
      ))

    test("a transition changes what it is told to and nothing else", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.create(someRun("r"))
          const before = yield* store.transition("r", "queued", "running", { steps: 2 })
          yield* TestClock.adjust("9 millis")
          const usage = { inputTokens: 3, outputTokens: 2, cachedTokens: 1 }
          const after = yield* store.transition("r", "running", "waiting_approval", { pending, usage })
          expect(after).toEqual({ ...before, status: "waiting_approval", pending, usage, updatedAt: 9 })
          expect(yield* store.get("r")).toEqual(after)
          const again = yield* store.transition("r", "waiting_approval", "running", { pending: null })
          expect(again.pending).toBeNull()
          const failed = yield* store.transition("r", "running", "failed", { error: "no luck" })
          expect([failed.error, failed.steps]).toEqual(["no luck", 2])
        })
      ))

    test("only what the states allow happens, for every pair of states", () =>
      run((store) =>
        Effect.gen(function* () {
          const states = Run.RunStatus.literals
          for (const from of states)
            for (const to of states) {
              const id = `${from} ${to}`
              yield* store.create(someRun(id, { status: from }))
              const exit = yield* Effect.result(store.transition(id, from, to))
              expect([id, exit._tag]).toEqual([id, Run.canBecome(from, to) ? "Success" : "Failure"])
              expect((yield* store.get(id)).status).toBe(Run.canBecome(from, to) ? to : from)
            }
        })
      ))

    test("from another state than it is in nothing changes, and the error says which it is in", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.create(someRun("r", { status: "waiting_approval" }))
          const before = yield* store.get("r")
          const error = yield* Effect.flip(store.transition("r", "queued", "running", { steps: 9 }))
          expect({ ...error }).toMatchObject({
            _tag: "IllegalTransition",
            id: "r",
            from: "waiting_approval",
            to: "running"
          })
          expect(yield* store.get("r")).toEqual(before)
        })
      ))

    test("of many that try the same transition one wins", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.create(someRun("r", { status: "waiting_approval" }))
          const tries = yield* Effect.forEach(
            Array.from({ length: 20 }),
            () => Effect.result(store.transition("r", "waiting_approval", "running")),
            { concurrency: "unbounded" }
          )
          expect(tries.filter(({ _tag }) => _tag === "Success").length).toBe(1)
        })
      ))

    test("the list is newest first and can be narrowed by session and state", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.create(someRun("b", { sessionId: "one" }))
          yield* store.create(someRun("a", { sessionId: "two" }))
          yield* store.create(someRun("c", { sessionId: "one", status: "running" }))
          const ids = (filter?: Parameters<typeof store.list>[0]) =>
            Effect.map(store.list(filter), ({ items }) => items.map(({ id }) => id))
          expect(yield* ids()).toEqual(["c", "a", "b"])
          expect(yield* ids({ sessionId: "one" })).toEqual(["c", "b"])
          expect(yield* ids({ status: "queued" })).toEqual(["a", "b"])
          expect(yield* ids({ sessionId: "one", status: "queued" })).toEqual(["b"])
          expect(yield* ids({ sessionId: "none" })).toEqual([])
        })
      ))

    test("the list comes page by page, the last created first, and what begins meanwhile is not in it", () =>
      run((store) =>
        Effect.gen(function* () {
          for (const [at, id] of ["a", "b", "c", "d", "e"].entries())
            yield* store.create(someRun(id, { sessionId: at % 2 === 0 ? "even" : "odd" }))
          const page = (request: Parameters<typeof store.list>[0]) =>
            Effect.map(store.list(request), ({ items, next }) => ({ ids: items.map(({ id }) => id), next }))
          const first = yield* page({ limit: 2 })
          expect(first.ids).toEqual(["e", "d"])
          yield* store.create(someRun("new"))
          yield* store.transition("c", "queued", "running")
          const second = yield* page({ limit: 2, cursor: first.next ?? { at: 0, id: "" } })
          expect(second.ids).toEqual(["c", "b"])
          expect(yield* page({ limit: 2, cursor: second.next ?? { at: 0, id: "" } })).toEqual({
            ids: ["a"],
            next: null
          })
          const even = yield* page({ sessionId: "even", status: "queued", limit: 1 })
          expect(even.ids).toEqual(["e"])
          expect(
            yield* page({
              sessionId: "even",
              status: "queued",
              limit: 1,
              cursor: even.next ?? { at: 0, id: "" }
            })
          ).toEqual({ ids: ["a"], next: null })
        })
      ))

    test("events are numbered from 1 within their run and read from any place", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.create(someRun("r"))
          yield* store.create(someRun("other"))
          expect(yield* store.append("r", text("a"))).toBe(1)
          expect(yield* store.append("other", text("x"))).toBe(1)
          expect(yield* store.append("r", text("b"))).toBe(2)
          expect(yield* store.append("r", text("c"))).toBe(3)
          expect(yield* store.events("r", 0)).toEqual([
            { sequence: 1, event: text("a") },
            { sequence: 2, event: text("b") },
            { sequence: 3, event: text("c") }
          ])
          expect(yield* store.events("r", 2)).toEqual([{ sequence: 3, event: text("c") }])
          expect(yield* store.events("r", 3)).toEqual([])
        })
      ))

    test("events appended at once get different numbers without a gap", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.create(someRun("r"))
          yield* Effect.forEach(Array.from({ length: 50 }), (_, n) => store.append("r", text(`${n}`)), {
            concurrency: "unbounded"
          })
          const numbers = (yield* store.events("r", 0)).map(({ sequence }) => sequence)
          expect(numbers).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
        })
      ))

    test("what is asked of one that does not exist fails with its id", () =>
      run((store) =>
        Effect.gen(function* () {
          for (const effect of [
            store.get("no"),
            store.transition("no", "queued", "running"),
            store.transition("no", "completed", "running"),
            store.append("no", text("x")),
            store.events("no", 0)
          ]) {
            const error = yield* Effect.flip(effect as Effect.Effect<unknown, { _tag: string; id?: string }>)
            expect([error._tag, error.id]).toEqual(["RunNotFound", "no"])
          }
        })
      ))
  })

describe("runs in SQLite, damaged", () => {
  const layer = RunStoreSqlite.layer.pipe(Layer.provideMerge(StateDbSqlite.layerMemory))

  test("a run or event that cannot be decoded is reported and the others are read", () =>
    captured(
      Effect.gen(function* () {
        const store = yield* RunStore
        const db = yield* StateDb
        for (const id of ["good", "bad"]) yield* store.create(someRun(id))
        yield* db.run("UPDATE runs SET usage = 'much' WHERE id = 'bad'")
        expect((yield* store.list()).items.map(({ id }) => id)).toEqual(["good"])
        const error = yield* Effect.flip(store.get("bad"))
        expect("message" in error && error.message).toBe("run bad cannot be read")
        for (const one of ["a", "b", "c"]) yield* store.append("good", text(one))
        yield* db.run(`UPDATE run_events SET event = '{"type":"text_delta"}' WHERE sequence = 2`)
        expect((yield* store.events("good", 0)).map(({ sequence }) => sequence)).toEqual([1, 3])
      }).pipe(Effect.provide(Layer.fresh(layer)))
    ).pipe(
      Effect.tap(({ lines }) =>
        Effect.sync(() => {
          expect(lines.map((line) => line.slice(0, line.indexOf(" in state.db")))).toEqual([
            "Warn run bad",
            "Warn run bad",
            "Warn event 2 of run good"
          ])
        })
      ),
      Effect.runPromise
    ))
})
