import { describe, expect, test } from "bun:test"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { Message, RunStore, SessionStore, StateDb } from "@cow/core"
import { someRun } from "@cow/core/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RunStoreSqlite, SessionStoreSqlite, StateDbSqlite } from "../src/index.ts"
import { inTempFolder } from "./TempFolder.ts"

const stores = (path: string) =>
  Layer.merge(SessionStoreSqlite.layer, RunStoreSqlite.layer).pipe(
    Layer.provideMerge(StateDbSqlite.layer(path))
  )

/** Starts a fixture and waits for its first line. */
const started = async (fixture: string, ...args: ReadonlyArray<string>) => {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/fixtures/${fixture}`, ...args], {
    stdout: "pipe",
    stderr: "pipe"
  })
  const reader = child.stdout.getReader()
  const first = new TextDecoder().decode((await reader.read()).value)
  const rest = async () => {
    let text = ""
    for (let next = await reader.read(); !next.done; next = await reader.read())
      text += new TextDecoder().decode(next.value)
    return text
  }
  return { child, first, rest, errors: () => new Response(child.stderr).text() }
}

describe("several processes", () => {
  test(
    "that write at once lose nothing and never both win",
    () =>
      inTempFolder((folder) =>
        Effect.gen(function* () {
          const path = `${folder}/state.db`
          yield* Effect.gen(function* () {
            const runs = yield* RunStore
            yield* runs.create(someRun("shared"))
            for (let at = 0; at < 20; at++)
              yield* runs.create(someRun(`contested ${at}`, { status: "waiting_approval" }))
          }).pipe(Effect.provide(stores(path)))
          const outcomes = yield* Effect.promise(async () => {
            const both = await Promise.all([
              started("writer.ts", path, "one"),
              started("writer.ts", path, "two")
            ])
            writeFileSync(`${folder}/go`, "")
            return Promise.all(
              both.map(async ({ child, errors, rest }) => ({
                won: Number(await rest()),
                errors: await errors(),
                code: await child.exited
              }))
            )
          })
          expect(outcomes.map(({ code, errors }) => [code, errors])).toEqual([
            [0, ""],
            [0, ""]
          ])
          expect(outcomes.reduce((sum, { won }) => sum + won, 0)).toBe(20)
          yield* Effect.gen(function* () {
            const db = yield* StateDb
            const sessions = yield* SessionStore
            expect(yield* db.all("SELECT value FROM counter")).toEqual([{ value: 40 }])
            for (const name of ["one", "two"])
              expect((yield* sessions.messages(name)).map(Message.textOf)).toEqual(
                Array.from({ length: 20 }, (_, at) => `${name} ${at}`)
              )
            const events = yield* (yield* RunStore).events("shared", 0)
            expect(events.map(({ sequence }) => sequence)).toEqual(
              Array.from({ length: 40 }, (_, at) => at + 1)
            )
          }).pipe(Effect.provide(stores(path)))
        })
      ),
    30_000
  )

  test(
    "that meet a damaged file at once keep it once and share the new one",
    () =>
      inTempFolder((folder) =>
        Effect.gen(function* () {
          mkdirSync(`${folder}/home`)
          const path = `${folder}/home/state.db`
          writeFileSync(path, "this is not a database")
          const names = ["one", "two", "three"]
          const ends = yield* Effect.promise(async () => {
            const all = await Promise.all(names.map((name) => started("damaged.ts", path, name)))
            writeFileSync(`${folder}/home/go`, "")
            return Promise.all(
              all.map(async ({ child, errors }) => ({ errors: await errors(), code: await child.exited }))
            )
          })
          expect(ends.map(({ code, errors }) => [code, errors])).toEqual(names.map(() => [0, ""]))
          expect(readdirSync(`${folder}/home`).sort()).toEqual(["go", "state.db", "state.db.bak"])
          const { items } = yield* Effect.flatMap(SessionStore, ({ list }) => list()).pipe(
            Effect.provide(stores(path))
          )
          expect(items.map(({ id }) => id).sort()).toEqual([...names].sort())
        })
      ),
    30_000
  )

  test(
    "one that is killed leaves no half transaction, and its run is ended as interrupted",
    () =>
      inTempFolder((folder) =>
        Effect.gen(function* () {
          const path = `${folder}/state.db`
          const { child } = yield* Effect.promise(() => started("dies.ts", path))
          const runs = yield* RunStore
          const db = yield* StateDb
          // As long as it lives its run is its own.
          yield* db.all("SELECT 1")
          expect((yield* runs.get("left")).status).toBe("running")
          child.kill("SIGKILL")
          yield* Effect.promise(() => child.exited)
          expect(yield* runs.endInterrupted).toEqual(["left"])
          expect((yield* runs.get("left")).error).toBe("interrupted")
          expect((yield* runs.get("waits")).status).toBe("waiting_approval")
          expect(yield* runs.events("left", 0)).toEqual([])
        }).pipe(Effect.provide(stores(`${folder}/state.db`)))
      ),
    30_000
  )
})
