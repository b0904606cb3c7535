/** The layer of core's `TrustRecords` in `state.db`, which is opened by the first question. */
import { StateDb, TrustRecords, TrustRecordsError } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as OwnedTables from "./OwnedTables.ts"

const migrations = {
  owner: "trust",
  steps: [
    "CREATE TABLE trusted_folders (folder TEXT PRIMARY KEY);" +
      "CREATE TABLE trusted_items (folder TEXT NOT NULL, path TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (folder, path))"
  ]
}

const make = (db: StateDb["Service"]) => {
  const using = OwnedTables.make(
    db,
    migrations,
    (cause) => new TrustRecordsError({ message: cause.message, cause })
  )
  /** SQLite's own number tells of other connections' writes alone. */
  let puts = 0
  return TrustRecords.of({
    // One statement: of two, a `put` in between would be read by half.
    get: Effect.fn("TrustRecords.get")(function* (folder) {
      const rows = yield* using(
        db.all(
          "SELECT path, digest FROM trusted_folders LEFT JOIN trusted_items USING (folder) WHERE folder = ?",
          [folder]
        )
      )
      if (rows.length === 0) return undefined
      return new Map(
        rows.flatMap(({ digest, path }) => (path === null ? [] : [[String(path), String(digest)]]))
      )
    }),
    put: Effect.fn("TrustRecords.put")(function* (folder, items) {
      yield* using(
        db.transaction(
          Effect.gen(function* () {
            yield* db.run("INSERT INTO trusted_folders (folder) VALUES (?) ON CONFLICT DO NOTHING", [folder])
            yield* db.run("DELETE FROM trusted_items WHERE folder = ?", [folder])
            for (const [path, digest] of items)
              yield* db.run("INSERT INTO trusted_items (folder, path, digest) VALUES (?, ?, ?)", [
                folder,
                path,
                digest
              ])
          })
        )
      )
      puts += 1
    }),
    list: Effect.map(using(db.all("SELECT folder FROM trusted_folders ORDER BY folder")), (rows) =>
      rows.map(({ folder }) => String(folder))
    ),
    revision: Effect.map(
      using(db.all("PRAGMA data_version")),
      ([row]) => `${String(row?.data_version)}.${puts}`
    )
  })
}

export const layer: Layer.Layer<TrustRecords, never, StateDb> = Layer.effect(
  TrustRecords,
  Effect.map(StateDb, make)
)
