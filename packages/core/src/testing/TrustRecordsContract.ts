/** What every layer of `TrustRecords` keeps. */
import * as Effect from "effect/Effect"
import { type TrustedItems, TrustRecords } from "../ports/TrustRecords.ts"
import * as Contract from "./Contract.ts"

const { same } = Contract

const one = <E>(name: string, body: (records: TrustRecords["Service"]) => Effect.Effect<void, E>) =>
  Contract.make(name, Effect.flatMap(TrustRecords, body))

const items = (digests: Readonly<Record<string, string>>): TrustedItems => new Map(Object.entries(digests))

/** In order of path; null: the folder was never trusted. */
const known = (records: TrustRecords["Service"], folder: string) =>
  Effect.map(records.get(folder), (found) => (found === undefined ? null : [...found].sort()))

export const cases: ReadonlyArray<Contract.Case<TrustRecords>> = [
  one("a folder that was never trusted is not known, and is not listed", (records) =>
    Effect.gen(function* () {
      yield* records.put("/w/a", items({ ".mcp.json": "1" }))
      yield* same("the other folder", yield* known(records, "/w"), null)
      yield* same("the list", yield* records.list, ["/w/a"])
    })
  ),
  one("each folder keeps its own digests, and the list is sorted", (records) =>
    Effect.gen(function* () {
      yield* records.put("/w/b", items({ ".mcp.json": "1", ".cow/skills/tea": "2" }))
      yield* records.put("/w/a", items({ ".mcp.json": "3" }))
      yield* same("the first", yield* known(records, "/w/b"), [
        [".cow/skills/tea", "2"],
        [".mcp.json", "1"]
      ])
      yield* same("the second", yield* known(records, "/w/a"), [[".mcp.json", "3"]])
      yield* same("the list", yield* records.list, ["/w/a", "/w/b"])
    })
  ),
  one("what is trusted later replaces all that was known of the folder", (records) =>
    Effect.gen(function* () {
      yield* records.put("/w", items({ ".mcp.json": "1", ".cow/config.json": "2" }))
      yield* records.put("/w", items({ ".mcp.json": "3" }))
      yield* same("the later", yield* known(records, "/w"), [[".mcp.json", "3"]])
      yield* same("the list", yield* records.list, ["/w"])
    })
  ),
  one("a folder that was trusted with nothing in it is known, and is not one that never was", (records) =>
    Effect.gen(function* () {
      yield* records.put("/w", items({ ".mcp.json": "1" }))
      yield* records.put("/w", items({}))
      yield* same("the folder", yield* known(records, "/w"), [])
      yield* same("the list", yield* records.list, ["/w"])
    })
  ),
  one("names of folders and items are kept as they are", (records) =>
    Effect.gen(function* () {
      const odd = '/w/it\'s "%_" \u{1f404}\nline'
      yield* records.put(odd, items({ "a'; --": "x", "": "" }))
      yield* same("the odd one", yield* known(records, odd), [
        ["", ""],
        ["a'; --", "x"]
      ])
      yield* same("the list", yield* records.list, [odd])
    })
  ),
  one("the revision is the same while nothing is put, and another after each put", (records) =>
    Effect.gen(function* () {
      const seen = [yield* records.revision]
      for (const digest of ["1", "2", "2"]) {
        yield* records.put("/w", items({ ".mcp.json": digest }))
        const now = yield* records.revision
        yield* known(records, "/w")
        yield* records.list
        yield* same("the revision after reading", yield* records.revision, now)
        yield* same("a revision that was there before", seen.includes(now), false)
        seen.push(now)
      }
    })
  )
]
