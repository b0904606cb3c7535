import { describe, expect, test } from "bun:test"
import { RunStore, StateDb } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RunStoreSqlite, StateDbSqlite } from "../src/index.ts"
import * as RunOwner from "../src/RunOwner.ts"
import { someRun } from "./SomeRun.ts"

const layer = RunStoreSqlite.layer.pipe(Layer.provideMerge(StateDbSqlite.layerMemory))

/** The pid of a process that has ended. */
const deadPid = (): number => Bun.spawnSync(["true"]).pid

const scenario = <A, E>(body: Effect.Effect<A, E, RunStore | StateDb>): Promise<A> =>
  body.pipe(Effect.provide(Layer.fresh(layer)), Effect.runPromise)

describe("reapInterrupted", () => {
  test("ends runs of a dead process as failed, interrupted, and touches no others", () =>
    scenario(
      Effect.gen(function* () {
        const store = yield* RunStore
        const db = yield* StateDb
        for (const status of ["queued", "running", "waiting_approval", "completed"] as const) {
          yield* store.create(someRun(`dead ${status}`, { status }))
          yield* store.create(someRun(`alive ${status}`, { status }))
        }
        yield* db.run("UPDATE runs SET owner = ? WHERE id LIKE 'dead%' AND owner IS NOT NULL", [
          `${deadPid()} 1`
        ])
        const reaped = yield* RunStoreSqlite.reapInterrupted
        expect([...reaped].sort()).toEqual(["dead queued", "dead running"])
        const ended = yield* store.get("dead running")
        expect([ended.status, ended.error]).toEqual(["failed", "interrupted"])
        for (const status of ["queued", "running", "waiting_approval", "completed"] as const)
          expect((yield* store.get(`alive ${status}`)).status).toBe(status)
        expect((yield* store.get("dead waiting_approval")).status).toBe("waiting_approval")
        expect(yield* RunStoreSqlite.reapInterrupted).toEqual([])
      })
    ))

  test("takes a living process with a dead one's pid for another", () =>
    scenario(
      Effect.gen(function* () {
        const store = yield* RunStore
        const db = yield* StateDb
        yield* store.create(someRun("r", { status: "running" }))
        yield* db.run("UPDATE runs SET owner = ?", [`${process.pid} 1`])
        expect(yield* RunStoreSqlite.reapInterrupted).toEqual(["r"])
      })
    ))

  test("a run that went on after an approval belongs to the process that went on with it", () =>
    scenario(
      Effect.gen(function* () {
        const store = yield* RunStore
        const db = yield* StateDb
        yield* store.create(someRun("r", { status: "running" }))
        yield* db.run("UPDATE runs SET owner = ?", [`${deadPid()} 1`])
        yield* store.transition("r", "running", "waiting_approval")
        expect(yield* RunStoreSqlite.reapInterrupted).toEqual([])
        yield* store.transition("r", "waiting_approval", "running")
        expect(yield* db.all("SELECT owner FROM runs")).toEqual([{ owner: RunOwner.self() }])
        expect(yield* RunStoreSqlite.reapInterrupted).toEqual([])
      })
    ))

  test("an owner that makes no sense is dead", () => {
    expect(["", "0 1", "-1 1", "x 1", `${process.pid}x 1`].map(RunOwner.isAlive)).toEqual(
      Array(5).fill(false)
    )
    expect(RunOwner.isAlive(RunOwner.self())).toBe(true)
  })
})
