/** What every layer of `RunStore` keeps of claims: one open run a session, and leases that end. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { RunStatus } from "../model/Run.ts"
import { anonymous, type Claim } from "../model/RunOwner.ts"
import { RunStore } from "../ports/RunStore.ts"
import * as Contract from "./Contract.ts"
import { someRun } from "./SomeRun.ts"

const { fails, same } = Contract

const claim = (): Claim => ({ owner: anonymous(), lease: Duration.seconds(15) })

type Store = RunStore["Service"]

const one = <E>(name: string, body: (store: Store) => Effect.Effect<void, E>) =>
  Contract.make(name, Effect.flatMap(RunStore, body))

const inSession = (id: string, status: RunStatus = "queued") => someRun(id, { sessionId: "s", status })

const stateOf = (store: Store, id: string) =>
  Effect.map(store.get(id), ({ error, status }) => [status, error] as const)

export const cases: ReadonlyArray<Contract.Case<RunStore>> = [
  one("while a run is worked on no other of its session begins, and the refusal says who has it", (store) =>
    Effect.gen(function* () {
      const mine = claim()
      yield* store.create(inSession("a"), mine)
      const refused = { _tag: "SessionBusy", sessionId: "s", runId: "a", owner: mine.owner }
      for (const status of ["queued", "running"] as const) {
        if (status === "running") yield* store.transition("a", "queued", "running")
        for (const next of ["queued", "running", "waiting_approval"] as const)
          yield* fails(`a ${next} one`, store.create(inSession("b", next), claim()), { ...refused, status })
        yield* fails("one's own second", store.create(inSession("b"), mine), { ...refused, status })
      }
      yield* fails("what was refused", store.get("b"), { _tag: "RunNotFound" })
      yield* store.create(someRun("other", { sessionId: "t" }), claim())
      yield* store.transition("a", "running", "completed")
      yield* store.create(inSession("b"), claim())
    })
  ),
  one("a run that waits keeps its session however long, and is nobody's", (store) =>
    Effect.gen(function* () {
      yield* store.create(inSession("a", "running"), claim())
      yield* store.transition("a", "running", "waiting_approval")
      yield* TestClock.adjust("30 days")
      const refused = { _tag: "SessionBusy", runId: "a", status: "waiting_approval", owner: null }
      yield* fails("the next", store.create(inSession("b"), claim()), refused)
      yield* same("what was ended", yield* store.endInterrupted, [])
      const mine = claim()
      yield* store.transition("a", "waiting_approval", "running", {}, mine)
      const taken = { _tag: "SessionBusy", runId: "a", status: "running", owner: mine.owner }
      yield* fails("one after the answer", store.create(inSession("b"), claim()), taken)
      yield* TestClock.adjust("15 seconds")
      yield* same("what was ended later", yield* store.endInterrupted, ["a"])
    })
  ),
  one("of many that take a session at once one gets it", (store) =>
    Effect.gen(function* () {
      const tries = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, at) => `r${at}`),
        (id) => Effect.result(store.create(inSession(id), claim())),
        { concurrency: "unbounded" }
      )
      yield* same("how many got it", tries.filter(({ _tag }) => _tag === "Success").length, 1)
      yield* same("how many there are", (yield* store.list()).items.length, 1)
    })
  ),
  one("a lease that is renewed goes on, and one that runs out ends the run when the next begins", (store) =>
    Effect.gen(function* () {
      const mine = claim()
      yield* store.create(inSession("a", "running"), mine)
      for (let at = 0; at < 4; at++) {
        yield* TestClock.adjust("14 seconds")
        yield* store.renew("a", mine)
      }
      yield* TestClock.adjust("14999 millis")
      yield* fails("one in time", store.create(inSession("b"), claim()), { _tag: "SessionBusy" })
      yield* TestClock.adjust("1 millis")
      yield* store.create(inSession("b"), claim())
      yield* same("the first", yield* stateOf(store, "a"), ["failed", "interrupted"])
      yield* same("the second", yield* stateOf(store, "b"), ["queued", null])
      yield* fails("a renewal", store.renew("a", mine), { _tag: "ClaimLost", runId: "a" })
      const end = store.transition("a", "running", "completed")
      yield* fails("its own end", end, { _tag: "IllegalTransition", from: "failed" })
    })
  ),
  one("a lease that ran out and was taken by nobody can still be renewed", (store) =>
    Effect.gen(function* () {
      const mine = claim()
      yield* store.create(inSession("a", "running"), mine)
      yield* TestClock.adjust("1 hour")
      yield* store.renew("a", mine)
      yield* same("what was ended", yield* store.endInterrupted, [])
      yield* fails("another's", store.renew("a", claim()), { _tag: "ClaimLost" })
    })
  ),
  one("a run that has ended, waits or is not there cannot be renewed", (store) =>
    Effect.gen(function* () {
      const mine = claim()
      yield* store.create(inSession("a", "running"), mine)
      yield* store.transition("a", "running", "waiting_approval")
      yield* fails("one that waits", store.renew("a", mine), { _tag: "ClaimLost" })
      yield* store.transition("a", "waiting_approval", "cancelled")
      yield* fails("one that has ended", store.renew("a", mine), { _tag: "ClaimLost" })
      yield* fails("none", store.renew("no", mine), { _tag: "ClaimLost" })
    })
  ),
  one("all whose owner is gone are ended, as interrupted, once, and no others", (store) =>
    Effect.gen(function* () {
      const states = ["queued", "running", "waiting_approval", "completed"] as const
      for (const status of states) yield* store.create(someRun(`gone ${status}`, { status }), claim())
      yield* TestClock.adjust("10 seconds")
      for (const status of states) yield* store.create(someRun(`here ${status}`, { status }), claim())
      yield* store.create(someRun("nobody's", { status: "running" }))
      yield* TestClock.adjust("5 seconds")
      const ended = yield* store.endInterrupted
      yield* same("those", [...ended].sort(), ["gone queued", "gone running", "nobody's"])
      yield* same("one of them", yield* stateOf(store, "gone running"), ["failed", "interrupted"])
      for (const status of states)
        yield* same(`here ${status}`, yield* stateOf(store, `here ${status}`), [status, null])
      yield* same("one that waits", yield* stateOf(store, "gone waiting_approval"), [
        "waiting_approval",
        null
      ])
      yield* same("again", yield* store.endInterrupted, [])
    })
  )
]
