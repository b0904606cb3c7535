import { describe, expect, test } from "bun:test"
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs"
import { type Migrations, StateDb, type StateDbError } from "@cow/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { StateDbSqlite } from "../src/index.ts"
import { inTempFolder } from "./TempFolder.ts"

const counters: Migrations = {
  owner: "counters",
  steps: ["CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT"]
}

/** Runs on a fresh database in memory that has the table `counters`. */
const withCounters = <A, E>(body: (db: StateDb["Service"]) => Effect.Effect<A, E>): Promise<A> =>
  Effect.gen(function* () {
    const db = yield* StateDb
    yield* db.migrate(counters)
    return yield* body(db)
  }).pipe(Effect.provide(StateDbSqlite.layerMemory), Effect.runPromise)

const put = (db: StateDb["Service"], name: string, value = 1) =>
  db.run("INSERT INTO counters (name, value) VALUES (?, ?)", [name, value])

const names = (db: StateDb["Service"]) =>
  Effect.map(db.all("SELECT name FROM counters ORDER BY name"), (rows) => rows.map((row) => String(row.name)))

describe("statements", () => {
  test("rows come back as they were put in, whatever kind of value they hold", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        const bytes = new Uint8Array([0, 1, 255])
        const [row] = yield* db.all("SELECT ? AS text, ? AS number, ? AS empty, ? AS bytes", [
          "Kuh \u{1F404}",
          1.5,
          null,
          bytes
        ])
        expect(row).toEqual({ text: "Kuh \u{1F404}", number: 1.5, empty: null, bytes })
      })
    ))

  test("run gives the number of rows that changed", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        yield* put(db, "a")
        yield* put(db, "b")
        expect(yield* db.run("UPDATE counters SET value = 7")).toBe(2)
        expect(yield* db.run("DELETE FROM counters WHERE name = 'nobody'")).toBe(0)
      })
    ))

  test("a mistake in the SQL is an error of one line that says what the database said", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(db.all("SELEC 1"))
        expect(error._tag).toBe("StateDbError")
        expect(error.message).toBe(':memory:: near "SELEC": syntax error')
      })
    ))

  test("foreign keys hold", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        yield* db.run("CREATE TABLE child (name TEXT REFERENCES counters (name))")
        const error = yield* Effect.flip(db.run("INSERT INTO child VALUES ('orphan')"))
        expect(error.message).toContain("FOREIGN KEY constraint failed")
      })
    ))
})

describe("transaction", () => {
  test("what fails leaves nothing behind and keeps its own error", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          db.transaction(Effect.andThen(put(db, "a"), Effect.fail("changed my mind" as const)))
        )
        expect(error).toBe("changed my mind")
        expect(yield* names(db)).toEqual([])
      })
    ))

  test("a defect rolls back", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(db.transaction(Effect.andThen(put(db, "a"), Effect.die("boom"))))
        expect(Exit.isFailure(exit)).toBe(true)
        expect(yield* names(db)).toEqual([])
      })
    ))

  test("interruption rolls back, and the next one can begin", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        const inside = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          db.transaction(
            put(db, "a").pipe(
              Effect.andThen(Deferred.succeed(inside, undefined)),
              Effect.andThen(Effect.never)
            )
          )
        )
        yield* Deferred.await(inside)
        yield* Fiber.interrupt(fiber)
        yield* db.transaction(put(db, "b"))
        expect(yield* names(db)).toEqual(["b"])
      })
    ))

  test("a fiber that waits for its turn can be interrupted", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        const inside = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          db.transaction(Effect.andThen(Deferred.succeed(inside, undefined), Effect.never))
        )
        yield* Deferred.await(inside)
        const second = yield* Effect.forkChild(db.transaction(put(db, "late")))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(second)
        yield* Fiber.interrupt(first)
        expect(yield* names(db)).toEqual([])
      })
    ))

  test("is alone: a hundred fibers that read, wait and write lose no count", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        yield* put(db, "n", 0)
        const increment = db.transaction(
          Effect.gen(function* () {
            const [row] = yield* db.all("SELECT value FROM counters WHERE name = 'n'")
            yield* Effect.yieldNow
            yield* db.run("UPDATE counters SET value = ? WHERE name = 'n'", [Number(row?.value) + 1])
          })
        )
        yield* Effect.forEach(Array.from({ length: 100 }), () => increment, {
          concurrency: "unbounded",
          discard: true
        })
        expect(yield* db.all("SELECT value FROM counters")).toEqual([{ value: 100 }])
      })
    ))

  test("nobody outside sees or joins what is not committed", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        const inside = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const failing = yield* Effect.forkChild(
          Effect.exit(
            db.transaction(
              Effect.gen(function* () {
                yield* put(db, "inside")
                yield* Deferred.succeed(inside, undefined)
                yield* Deferred.await(go)
                return yield* Effect.fail("no")
              })
            )
          )
        )
        yield* Deferred.await(inside)
        const seen = yield* Effect.forkChild(names(db))
        const joined = yield* Effect.forkChild(put(db, "outside"))
        yield* Effect.yieldNow
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(failing)
        expect(yield* Fiber.join(seen)).toEqual([])
        yield* Fiber.join(joined)
        expect(yield* names(db)).toEqual(["outside"])
      })
    ))

  test("one inside another does not wait for it, and a failing inner one takes back only its own", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        yield* db.transaction(
          Effect.gen(function* () {
            yield* put(db, "outer")
            yield* Effect.exit(db.transaction(Effect.andThen(put(db, "inner"), Effect.fail("no"))))
            yield* db.transaction(db.transaction(put(db, "deep")))
          })
        )
        expect(yield* names(db)).toEqual(["deep", "outer"])
      })
    ))

  test("an outer one that fails takes the inner ones along", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        yield* Effect.exit(
          db.transaction(Effect.andThen(db.transaction(put(db, "inner")), Effect.fail("no")))
        )
        expect(yield* names(db)).toEqual([])
      })
    ))

  test("inner ones of parallel fibers take turns", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        const one = (n: number) =>
          db.transaction(
            Effect.gen(function* () {
              yield* put(db, `n${n}`)
              yield* Effect.yieldNow
              if (n % 2 === 1) return yield* Effect.fail("odd")
            })
          )
        const all: Effect.Effect<unknown> = Effect.forEach([0, 1, 2, 3, 4], (n) => Effect.exit(one(n)), {
          concurrency: "unbounded"
        })
        yield* db.transaction(all)
        expect(yield* names(db)).toEqual(["n0", "n2", "n4"])
      })
    ))

  test("a fiber left running by a transaction that ended writes outside of it", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        const go = yield* Deferred.make<void>()
        const late = Effect.andThen(Deferred.await(go), db.transaction(put(db, "late")))
        const fiber = yield* db.transaction(Effect.forkDetach(late))
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(fiber)
        expect(yield* names(db)).toEqual(["late"])
      })
    ))

  test("of two databases at once, each keeps its own", () =>
    Effect.gen(function* () {
      const build = Layer.build(Layer.fresh(StateDbSqlite.layerMemory))
      const [one, two] = yield* Effect.all([
        Effect.provide(StateDb, yield* build),
        Effect.provide(StateDb, yield* build)
      ])
      yield* one.migrate(counters)
      yield* two.migrate(counters)
      yield* Effect.exit(
        one.transaction(
          Effect.gen(function* () {
            yield* put(one, "lost")
            yield* two.transaction(Effect.andThen(put(two, "kept"), put(one, "lost too")))
            return yield* Effect.fail("no")
          })
        )
      )
      expect(yield* names(one)).toEqual([])
      expect(yield* names(two)).toEqual(["kept"])
    }).pipe(Effect.scoped, Effect.runPromise))
})

describe("migrate", () => {
  test("does nothing the second time and runs only what was appended", () =>
    inTempFolder((folder) => {
      const open = <A>(body: Effect.Effect<A, StateDbError, StateDb>) =>
        Effect.provide(body, StateDbSqlite.layer(`${folder}/state.db`))
      const migrate = (migrations: Migrations) => Effect.flatMap(StateDb, (db) => db.migrate(migrations))
      const longer = { ...counters, steps: [...counters.steps, "ALTER TABLE counters ADD COLUMN note TEXT"] }
      return Effect.gen(function* () {
        yield* open(Effect.andThen(migrate(counters), migrate(counters)))
        yield* open(migrate(counters))
        yield* open(Effect.andThen(migrate(counters), migrate(longer)))
        const steps = yield* open(
          Effect.flatMap(StateDb, (db) => db.all("SELECT owner, step FROM migrations ORDER BY step"))
        )
        expect(steps).toEqual([
          { owner: "counters", step: 1 },
          { owner: "counters", step: 2 }
        ])
      })
    }))

  test("owners do not count each other's steps", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        yield* db.migrate({ owner: "grants", steps: ["CREATE TABLE grants (id TEXT)"] })
        expect(yield* db.all("SELECT owner FROM migrations ORDER BY owner")).toEqual([
          { owner: "counters" },
          { owner: "grants" }
        ])
      })
    ))

  test("a step that fails half-way leaves nothing of itself, the steps before it stay", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        const steps = [
          "CREATE TABLE good (id TEXT)",
          "CREATE TABLE half (id TEXT); INSERT INTO nowhere VALUES (1)"
        ]
        const error = yield* Effect.flip(db.migrate({ owner: "broken", steps }))
        expect(error.message).toContain("nowhere")
        expect(yield* db.all("SELECT name FROM sqlite_schema WHERE name IN ('good', 'half')")).toEqual([
          { name: "good" }
        ])
        yield* db.migrate({ owner: "broken", steps: [steps[0] as string, "CREATE TABLE half (id TEXT)"] })
        expect(yield* db.all("SELECT count(*) AS n FROM half")).toEqual([{ n: 0 }])
      })
    ))

  test("inside a transaction that fails the tables are taken back, and come again", () =>
    withCounters((db) =>
      Effect.gen(function* () {
        const late = { owner: "late", steps: ["CREATE TABLE late (id TEXT)"] }
        yield* Effect.exit(db.transaction(Effect.andThen(db.migrate(late), Effect.fail("no"))))
        yield* db.migrate(late)
        expect(yield* db.all("SELECT count(*) AS n FROM late")).toEqual([{ n: 0 }])
      })
    ))
})

describe("the file", () => {
  test("nothing is made before the first statement", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const db = yield* StateDb
        expect(readdirSync(folder)).toEqual([])
        yield* db.all("SELECT 1")
        expect(existsSync(`${folder}/deep/er/state.db`)).toBe(true)
      }).pipe(Effect.provide(StateDbSqlite.layer(`${folder}/deep/er/state.db`)))
    ))

  test("closing the layer leaves one file, and what was written is in it", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const path = `${folder}/state.db`
        const write = Effect.flatMap(StateDb, (db) => Effect.andThen(db.migrate(counters), put(db, "kept")))
        yield* Effect.provide(write, StateDbSqlite.layer(path))
        expect(readdirSync(folder)).toEqual(["state.db"])
        const read = Effect.flatMap(StateDb, names)
        expect(yield* Effect.provide(read, StateDbSqlite.layer(path))).toEqual(["kept"])
      })
    ))

  test("it and what stands beside it are their owner's alone, also where they were open to others before", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const path = `${folder}/state.db`
        const modes = () =>
          readdirSync(folder)
            .sort()
            .map((name) => `${name} ${(statSync(`${folder}/${name}`).mode & 0o777).toString(8)}`)
        const write = Effect.gen(function* () {
          const db = yield* StateDb
          yield* db.migrate(counters)
          yield* db.run("INSERT OR IGNORE INTO counters VALUES ('a', 1)")
          expect(modes()).toEqual(["state.db 600", "state.db-shm 600", "state.db-wal 600"])
        })
        const before = process.umask(0)
        try {
          yield* Effect.provide(write, StateDbSqlite.layer(path))
          chmodSync(path, 0o644)
          yield* Effect.provide(write, StateDbSqlite.layer(path))
        } finally {
          process.umask(before)
        }
      })
    ))

  test("is in WAL mode, so that readers do not wait for writers", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const db = yield* StateDb
        expect(yield* db.all("PRAGMA journal_mode")).toEqual([{ journal_mode: "wal" }])
        expect(yield* db.all("PRAGMA foreign_keys")).toEqual([{ foreign_keys: 1 }])
      }).pipe(Effect.provide(StateDbSqlite.layer(`${folder}/state.db`)))
    ))
})
