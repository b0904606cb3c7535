import { describe, expect, test } from "bun:test"
import { type AgentEvent, RunStore, StateDb } from "@cow/core"
import { RunClaimContract, RunStoreContract, someRun } from "@cow/core/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { holds } from "../../core/test/testing/Holds.ts"
import { RunStoreSqlite, StateDbSqlite } from "../src/index.ts"
import { captured } from "./CapturedLog.ts"

const text = (value: string): AgentEvent.AgentEvent => ({ type: "text_delta", text: value })

describe("runs in SQLite", () =>
  holds(
    [...RunStoreContract.cases, ...RunClaimContract.cases],
    RunStoreSqlite.layer.pipe(Layer.provide(StateDbSqlite.layerMemory))
  ))

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
