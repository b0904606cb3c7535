import { describe, expect, test } from "bun:test"
import { RunOwner, RunStore } from "@cow/core"
import { someRun } from "@cow/core/testing"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ProcessOwner, RunStoreSqlite, StateDbSqlite } from "../src/index.ts"

/** The pid of a process that has ended. */
const deadPid = (): number => Bun.spawnSync(["true"]).pid

const claimOf = (owner: RunOwner.RunOwner): RunOwner.Claim => ({ owner, lease: Duration.hours(1) })

const scenario = <A, E>(body: (store: RunStore["Service"]) => Effect.Effect<A, E>): Promise<A> =>
  Effect.flatMap(RunStore, body).pipe(
    Effect.provide(Layer.fresh(RunStoreSqlite.layer.pipe(Layer.provide(StateDbSqlite.layerMemory)))),
    Effect.runPromise
  )

describe("an owner", () => {
  test("that lives is not gone, and one whose process has ended is", () => {
    const self = ProcessOwner.self()
    expect(self.pid).toBe(process.pid)
    expect(ProcessOwner.isGone(self)).toBe(false)
    expect(ProcessOwner.isGone({ ...self, pid: deadPid() })).toBe(true)
  })

  test("is told from a later process with its pid", () => {
    expect(ProcessOwner.isGone({ ...ProcessOwner.self(), startedAt: "1" })).toBe(true)
  })

  test("of another machine, or of none, is not judged", () => {
    const self = ProcessOwner.self()
    expect(ProcessOwner.isGone({ ...self, machine: "elsewhere", pid: deadPid() })).toBe(false)
    expect(ProcessOwner.isGone(RunOwner.anonymous())).toBe(false)
  })

  test("has a name of its own in each process of a machine", () => {
    const one = ProcessOwner.self()
    expect(one.token).not.toBe(ProcessOwner.self().token)
    expect(one.machine).not.toBe("")
  })
})

describe("a run whose process has ended", () => {
  const gone = () => claimOf({ ...ProcessOwner.self(), pid: deadPid() })

  test("ends at once, long before its lease, and no other's does", () =>
    scenario((store) =>
      Effect.gen(function* () {
        for (const status of ["queued", "running", "waiting_approval", "completed"] as const) {
          yield* store.create(someRun(`gone ${status}`, { status }), gone())
          yield* store.create(someRun(`here ${status}`, { status }), claimOf(ProcessOwner.self()))
        }
        const elsewhere = { ...ProcessOwner.self(), machine: "elsewhere", pid: deadPid() }
        yield* store.create(someRun("elsewhere", { status: "running" }), claimOf(elsewhere))
        expect([...(yield* store.endInterrupted)].sort()).toEqual(["gone queued", "gone running"])
        expect(yield* store.get("gone running")).toMatchObject({ status: "failed", error: "interrupted" })
        expect((yield* store.get("here running")).status).toBe("running")
        expect((yield* store.get("elsewhere")).status).toBe("running")
        expect((yield* store.get("gone waiting_approval")).status).toBe("waiting_approval")
      })
    ))

  test("leaves its session to the next", () =>
    scenario((store) =>
      Effect.gen(function* () {
        yield* store.create(someRun("a", { sessionId: "s", status: "running" }), gone())
        yield* store.create(someRun("b", { sessionId: "s" }), claimOf(ProcessOwner.self()))
        expect(yield* store.get("a")).toMatchObject({ status: "failed", error: "interrupted" })
      })
    ))

  test("a run that went on after an approval belongs to the process that went on with it", () =>
    scenario((store) =>
      Effect.gen(function* () {
        yield* store.create(someRun("r", { status: "running" }), gone())
        yield* store.transition("r", "running", "waiting_approval")
        expect(yield* store.endInterrupted).toEqual([])
        yield* store.transition("r", "waiting_approval", "running", {}, claimOf(ProcessOwner.self()))
        expect(yield* store.endInterrupted).toEqual([])
      })
    ))
})
