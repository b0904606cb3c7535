import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { StateDb } from "@cow/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { lockWait, StateDbSqlite } from "../src/index.ts"
import { captured } from "./CapturedLog.ts"
import { inTempFolder } from "./TempFolder.ts"

const notes = { owner: "notes", steps: ["CREATE TABLE notes (text TEXT NOT NULL) STRICT"] }

/** What every command does first: bring the tables up to date, write, read. */
const note = (text: string) =>
  Effect.gen(function* () {
    const db = yield* StateDb
    yield* db.migrate(notes)
    yield* db.run("INSERT INTO notes VALUES (?)", [text])
    return (yield* db.all("SELECT text FROM notes ORDER BY rowid")).map((row) => row.text)
  })

const start = (path: string, text = "new") => captured(Effect.provide(note(text), StateDbSqlite.layer(path)))

/** Bytes of a whole database of 30 pages. */
const wholeDatabase = (folder: string): Buffer => {
  const path = `${folder}/whole.db`
  const db = new Database(path)
  db.run("CREATE TABLE t (x)")
  db.run("BEGIN")
  for (let row = 0; row < 500; row++) db.run("INSERT INTO t VALUES (?)", ["x".repeat(200)])
  db.run("COMMIT")
  db.close()
  return readFileSync(path)
}

const noise = (size: number) => crypto.getRandomValues(new Uint8Array(size))

describe("a damaged file", () => {
  const kinds: ReadonlyArray<[string, (folder: string) => Uint8Array | string]> = [
    ["of random bytes", () => noise(4096)],
    ["of plain text", () => "this is not a database"],
    ["of one line end", () => "\n"],
    ["that is cut in half", (folder) => wholeDatabase(folder).subarray(0, 60_000)],
    ["that is cut inside its header", (folder) => wholeDatabase(folder).subarray(0, 50)],
    ["with its magic only", (folder) => wholeDatabase(folder).subarray(0, 16)],
    [
      "whose first page is noise",
      (folder) => Buffer.concat([noise(4096), wholeDatabase(folder).subarray(4096)])
    ]
  ]
  for (const [kind, bytes] of kinds)
    test(`${kind} is kept byte for byte, a new one is made, and one warning names both`, () =>
      inTempFolder((folder) =>
        Effect.gen(function* () {
          const path = `${folder}/home/state.db`
          mkdirSync(`${folder}/home`)
          const old = Buffer.from(bytes(folder))
          writeFileSync(path, old)
          const { lines, value } = yield* start(path)
          expect(value).toEqual(["new"])
          expect(readFileSync(`${path}.bak`).equals(old)).toBe(true)
          expect(lines).toEqual([`Warn ${path} is damaged; it is kept as ${path}.bak and a new one is made`])
          expect(readdirSync(`${folder}/home`).sort()).toEqual(["state.db", "state.db.bak"])
          expect(yield* start(path, "second")).toEqual({ value: ["new", "second"], lines: [] })
        })
      ))

  test("of any length that a whole one is cut to is either read or kept", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const whole = wholeDatabase(folder)
        for (const size of [
          1,
          2,
          15,
          17,
          99,
          100,
          101,
          511,
          512,
          1000,
          4095,
          4096,
          4097,
          whole.length - 4096
        ]) {
          const path = `${folder}/${size}/state.db`
          mkdirSync(`${folder}/${size}`)
          writeFileSync(path, whole.subarray(0, size))
          expect((yield* start(path)).value).toEqual(["new"])
          expect(readFileSync(`${path}.bak`).length).toBe(size)
        }
      })
    ))

  test("that is empty counts as new", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        writeFileSync(`${folder}/state.db`, "")
        expect(yield* start(`${folder}/state.db`)).toEqual({ value: ["new"], lines: [] })
        expect(existsSync(`${folder}/state.db.bak`)).toBe(false)
      })
    ))

  test("never takes the place of an earlier one that was kept", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const path = `${folder}/state.db`
        for (const text of ["first", "second", "third"]) {
          writeFileSync(path, text)
          yield* start(path)
        }
        expect(["", "2", "3"].map((count) => readFileSync(`${path}.bak${count}`, "utf8"))).toEqual([
          "first",
          "second",
          "third"
        ])
      })
    ))

  test("takes its log along, so that the new database does not swallow it", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const path = `${folder}/state.db`
        writeFileSync(path, noise(4096))
        writeFileSync(`${path}-wal`, "the log of the old one")
        expect((yield* start(path)).value).toEqual(["new"])
        expect(readFileSync(`${path}.bak`).length).toBe(4096)
        expect(existsSync(`${path}-wal`)).toBe(false)
      })
    ))

  test("that shows only in use is kept too, and the statement works on the new one", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const path = `${folder}/state.db`
        yield* start(path, "old")
        const good = new Database(path)
        const root = good.query<{ rootpage: number }, []>(
          "SELECT rootpage FROM sqlite_schema WHERE name = 'notes'"
        )
        const page = root.get()?.rootpage ?? 0
        good.close()
        const bytes = readFileSync(path)
        bytes.fill(0xee, (page - 1) * 4096, page * 4096)
        writeFileSync(path, bytes)
        const { lines, value } = yield* start(path)
        expect(value).toEqual(["new"])
        expect(lines.length).toBe(1)
        expect(readFileSync(`${path}.bak`).equals(bytes)).toBe(true)
      })
    ))

  test("that shows inside a transaction fails the transaction; the next statement has the new file", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const path = `${folder}/state.db`
        yield* start(path, "old")
        const bytes = readFileSync(path)
        bytes.fill(0xee, 4096)
        writeFileSync(path, bytes)
        const { value } = yield* captured(
          Effect.gen(function* () {
            const db = yield* StateDb
            const error = yield* Effect.flip(db.transaction(db.all("SELECT * FROM notes")))
            expect(error.message).toBe(`${path} is damaged`)
            return yield* note("after")
          }).pipe(Effect.provide(StateDbSqlite.layer(path)))
        )
        expect(value).toEqual(["after"])
      })
    ))
})

describe("a file that cannot be used", () => {
  const impatient = Effect.provideService(lockWait, Duration.millis(60))

  test("because another process holds it says so in one line", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const path = `${folder}/state.db`
        yield* start(path, "old")
        const other = new Database(path)
        other.run("BEGIN IMMEDIATE")
        const error = yield* Effect.flip(start(path)).pipe(impatient)
        expect(error.message).toBe(`${path} is locked by another process`)
        other.run("ROLLBACK")
        other.close()
        expect((yield* start(path)).value).toEqual(["old", "new"])
      })
    ))

  test("for a moment only is waited for, and the wait can be interrupted", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const path = `${folder}/state.db`
        yield* start(path, "old")
        const other = new Database(path)
        other.run("BEGIN IMMEDIATE")
        const db = yield* StateDb
        const waited = yield* db.transaction(note("never")).pipe(Effect.timeoutOption("100 millis"))
        expect(waited._tag).toBe("None")
        yield* Effect.forkChild(
          Effect.andThen(
            Effect.sleep("100 millis"),
            Effect.sync(() => other.run("COMMIT"))
          )
        )
        expect(yield* db.transaction(note("in the end"))).toEqual(["old", "in the end"])
        other.close()
      }).pipe(Effect.provide(StateDbSqlite.layer(`${folder}/state.db`)))
    ))

  test("because a folder stands there says so in one line", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        mkdirSync(`${folder}/state.db`)
        const error = yield* Effect.flip(start(`${folder}/state.db`))
        expect(error.message).toBe(`${folder}/state.db cannot be opened`)
      })
    ))

  test("because its folder cannot be made says so in one line with the reason", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        writeFileSync(`${folder}/file`, "")
        const error = yield* Effect.flip(start(`${folder}/file/state.db`))
        expect(error._tag).toBe("StateDbError")
        expect(error.message).toBe(`${folder}/file/state.db cannot be opened: it exists already`)
      })
    ))

  test("because it is read-only can be read, and a write says so in one line", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        yield* start(`${folder}/state.db`, "old")
        chmodSync(`${folder}/state.db`, 0o444)
        chmodSync(folder, 0o555)
        // Permissions do not hold for root, so another process tries as somebody else.
        const script = `${import.meta.dir}/fixtures/read-only.ts`
        const child = Bun.spawnSync([process.execPath, script, `${folder}/state.db`])
        chmodSync(folder, 0o755)
        expect(child.stderr.toString()).toBe("")
        expect(JSON.parse(child.stdout.toString())).toEqual({
          tag: "StateDbError",
          message: expect.stringMatching(/state\.db (is read-only|cannot be opened)$/)
        })
      })
    ))
})
