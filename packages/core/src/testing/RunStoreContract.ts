/** What every layer of `RunStore` keeps: states, lists and events. Who has a run is `RunClaimContract`. */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { AgentEvent } from "../model/AgentEvent.ts"
import * as Run from "../model/Run.ts"
import { type RunList, RunStore } from "../ports/RunStore.ts"
import * as Contract from "./Contract.ts"
import { someRun } from "./SomeRun.ts"

const { fails, same } = Contract

const text = (value: string): AgentEvent => ({ type: "text_delta", text: value })

const pending: Run.PendingApproval = {
  callId: "c1",
  tool: "bash",
  server: "",
  input: { command: "rm -r x", deep: [null, 1] },
  reason: "it may change data"
}

type Store = RunStore["Service"]

const page = (store: Store, request?: RunList) =>
  Effect.map(store.list(request), ({ items, next }) => ({ ids: items.map(({ id }) => id), next }))

const one = <E>(name: string, body: (store: Store) => Effect.Effect<void, E>) =>
  Contract.make(name, Effect.flatMap(RunStore, body))

export const cases: ReadonlyArray<Contract.Case<RunStore>> = [
  one("one comes back as it was created, with the time", (store) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(7)
      const given = someRun("r", { pending, error: "e", status: "waiting_approval", steps: 3 })
      yield* store.create(given)
      yield* same("the run", yield* store.get("r"), { ...given, createdAt: 7, updatedAt: 7 })
    })
  ),
  one("an id that is taken is refused and the first run stays", (store) =>
    Effect.gen(function* () {
      yield* store.create(someRun("r", { model: "first/one" }))
      const again = store.create(someRun("r", { model: "second/one", sessionId: "other" }))
      yield* fails("the second", again, { _tag: "RunStoreError", message: "run r exists already" })
      yield* same("the model", (yield* store.get("r")).model, "first/one")
    })
  ),
  one("a transition changes what it is told to and nothing else", (store) =>
    Effect.gen(function* () {
      yield* store.create(someRun("r"))
      const before = yield* store.transition("r", "queued", "running", { steps: 2, startsAt: 4 })
      yield* TestClock.adjust("9 millis")
      const usage = { inputTokens: 3, outputTokens: 2, cachedTokens: 1 }
      const after = yield* store.transition("r", "running", "waiting_approval", { pending, usage })
      const expected = { ...before, status: "waiting_approval", pending, usage, updatedAt: 9 }
      yield* same("the run it gives", after, expected)
      yield* same("the run", yield* store.get("r"), after)
      const again = yield* store.transition("r", "waiting_approval", "running", { pending: null })
      yield* same("what it waits for", again.pending, null)
      const failed = yield* store.transition("r", "running", "failed", { error: "no luck" })
      yield* same("the end", [failed.error, failed.steps, failed.startsAt], ["no luck", 2, 4])
    })
  ),
  one("only what the states allow happens, for every pair of states", (store) =>
    Effect.gen(function* () {
      for (const from of Run.RunStatus.literals)
        for (const to of Run.RunStatus.literals) {
          const id = `${from} ${to}`
          yield* store.create(someRun(id, { status: from }))
          const result = yield* Effect.result(store.transition(id, from, to))
          const allowed = Run.canBecome(from, to)
          yield* same(id, result._tag, allowed ? "Success" : "Failure")
          yield* same(`the state after ${id}`, (yield* store.get(id)).status, allowed ? to : from)
        }
    })
  ),
  one("from another state than it is in nothing changes, and the error says which it is in", (store) =>
    Effect.gen(function* () {
      yield* store.create(someRun("r", { status: "waiting_approval" }))
      const before = yield* store.get("r")
      const wrong = store.transition("r", "queued", "running", { steps: 9 })
      const expected = { _tag: "IllegalTransition", id: "r", from: "waiting_approval", to: "running" }
      yield* fails("the transition", wrong, expected)
      yield* same("the run", yield* store.get("r"), before)
    })
  ),
  one("of many that try the same transition one wins", (store) =>
    Effect.gen(function* () {
      yield* store.create(someRun("r", { status: "waiting_approval" }))
      const tries = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.result(store.transition("r", "waiting_approval", "running")),
        { concurrency: "unbounded" }
      )
      yield* same("how many won", tries.filter(({ _tag }) => _tag === "Success").length, 1)
    })
  ),
  one("the list is newest first and can be narrowed by session and state", (store) =>
    Effect.gen(function* () {
      yield* store.create(someRun("b", { sessionId: "one", status: "completed" }))
      yield* store.create(someRun("a", { sessionId: "two" }))
      yield* store.create(someRun("c", { sessionId: "one" }))
      const ids = (request?: RunList) => Effect.map(page(store, request), (found) => found.ids)
      yield* same("all", yield* ids(), ["c", "a", "b"])
      yield* same("those of a session", yield* ids({ sessionId: "one" }), ["c", "b"])
      yield* same("the queued", yield* ids({ status: "queued" }), ["c", "a"])
      yield* same("both", yield* ids({ sessionId: "one", status: "queued" }), ["c"])
      yield* same("none", yield* ids({ sessionId: "none" }), [])
    })
  ),
  one("the list comes page by page, and what begins or changes meanwhile moves nothing", (store) =>
    Effect.gen(function* () {
      const status = "completed"
      for (const [at, id] of ["a", "b", "c", "d", "e"].entries())
        yield* store.create(someRun(id, { status, sessionId: at % 2 === 0 ? "even" : "odd" }))
      const none = { at: 0, id: "" }
      const first = yield* page(store, { limit: 2 })
      yield* same("the first page", first.ids, ["e", "d"])
      yield* store.create(someRun("new"))
      const second = yield* page(store, { limit: 2, cursor: first.next ?? none })
      yield* same("the second", second.ids, ["c", "b"])
      const third = yield* page(store, { limit: 2, cursor: second.next ?? none })
      yield* same("the last", third, { ids: ["a"], next: null })
      const even = yield* page(store, { sessionId: "even", status, limit: 2 })
      yield* same("narrowed", even.ids, ["e", "c"])
      const rest = yield* page(store, { sessionId: "even", status, limit: 2, cursor: even.next ?? none })
      yield* same("its last", rest, { ids: ["a"], next: null })
    })
  ),
  one("events are numbered from 1 within their run and read from any place", (store) =>
    Effect.gen(function* () {
      yield* store.create(someRun("r"))
      yield* store.create(someRun("other"))
      yield* same("the first", yield* store.append("r", text("a")), 1)
      yield* same("another run's", yield* store.append("other", text("x")), 1)
      yield* same("the second", yield* store.append("r", text("b")), 2)
      const both = [
        { sequence: 1, event: text("a") },
        { sequence: 2, event: text("b") }
      ]
      yield* same("all", yield* store.events("r", 0), both)
      yield* same("those after the first", yield* store.events("r", 1), both.slice(1))
      yield* same("those after the last", yield* store.events("r", 2), [])
    })
  ),
  one("events appended at once get different numbers without a gap", (store) =>
    Effect.gen(function* () {
      yield* store.create(someRun("r"))
      const all = Array.from({ length: 50 }, (_, at) => at + 1)
      yield* Effect.forEach(all, (at) => store.append("r", text(`${at}`)), { concurrency: "unbounded" })
      const events = yield* store.events("r", 0)
      yield* same(
        "the numbers",
        events.map(({ sequence }) => sequence),
        all
      )
    })
  ),
  one("what is asked of one that does not exist fails with its id", (store) =>
    Effect.gen(function* () {
      const expected = { _tag: "RunNotFound", id: "no" }
      yield* fails("get", store.get("no"), expected)
      yield* fails("a transition", store.transition("no", "queued", "running"), expected)
      yield* fails("one that is forbidden", store.transition("no", "completed", "running"), expected)
      yield* fails("append", store.append("no", text("x")), expected)
      yield* fails("events", store.events("no", 0), expected)
    })
  )
]
