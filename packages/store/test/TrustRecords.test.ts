import { describe, expect, test } from "bun:test"
import { StateDb, TrustRecords } from "@cow/core"
import { TrustRecordsContract } from "@cow/core/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { holds } from "../../core/test/testing/Holds.ts"
import { StateDbSqlite, TrustRecordsSqlite } from "../src/index.ts"
import { inTempFolder } from "./TempFolder.ts"

/** A connection of its own each time, as another process has. */
const connection = (path: string) =>
  Layer.fresh(TrustRecordsSqlite.layer.pipe(Layer.provideMerge(Layer.fresh(StateDbSqlite.layer(path)))))

describe("records of trust in SQLite", () => {
  holds(TrustRecordsContract.cases, TrustRecordsSqlite.layer.pipe(Layer.provide(StateDbSqlite.layerMemory)))

  test("a state.db of before is read as it stands", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const path = `${folder}/state.db`
        yield* Effect.gen(function* () {
          const db = yield* StateDb
          yield* db.migrate({
            owner: "trust",
            steps: [
              "CREATE TABLE trusted_folders (folder TEXT PRIMARY KEY);" +
                "CREATE TABLE trusted_items (folder TEXT NOT NULL, path TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (folder, path))"
            ]
          })
          yield* db.run("INSERT INTO trusted_folders VALUES ('/w/a'), ('/w/bare')")
          yield* db.run(
            "INSERT INTO trusted_items VALUES ('/w/a', '.mcp.json', '1'), ('/w/a', '.cow/skills/tea', '2')"
          )
        }).pipe(Effect.provide(StateDbSqlite.layer(path)))
        yield* Effect.gen(function* () {
          const records = yield* TrustRecords
          expect(yield* records.list).toEqual(["/w/a", "/w/bare"])
          const expected = new Map([
            [".mcp.json", "1"],
            [".cow/skills/tea", "2"]
          ])
          expect(yield* records.get("/w/a")).toEqual(expected)
          expect(yield* records.get("/w/bare")).toEqual(new Map())
          yield* records.put("/w/bare", new Map([[".mcp.json", "3"]]))
          expect(yield* records.get("/w/bare")).toEqual(new Map([[".mcp.json", "3"]]))
          expect(yield* records.get("/w/a")).toEqual(expected)
        }).pipe(Effect.provide(connection(path)))
      })
    ))

  test("what another process trusts is seen at the next question, and by the revision", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const open = () =>
          Effect.map(Layer.build(connection(`${folder}/state.db`)), Context.get(TrustRecords))
        const [here, there] = [yield* open(), yield* open()]
        const before = yield* here.revision
        expect(yield* here.revision).toBe(before)
        yield* there.put("/w", new Map([[".mcp.json", "1"]]))
        const after = yield* here.revision
        expect(after).not.toBe(before)
        expect(yield* here.get("/w")).toEqual(new Map([[".mcp.json", "1"]]))
        expect(yield* here.revision).toBe(after)
      }).pipe(Effect.scoped)
    ))
})
