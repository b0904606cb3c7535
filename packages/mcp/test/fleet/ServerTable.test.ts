import { describe, expect, test } from "bun:test"
import { Audience } from "@cow/core"
import * as Effect from "effect/Effect"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as McpConfig from "../../src/config/McpConfig.ts"
import * as Readiness from "../../src/fleet/Readiness.ts"
import * as ServerTable from "../../src/fleet/ServerTable.ts"

const rowOf = (
  name: string,
  more: Partial<ServerTable.ServerRow> = {},
  entry: object = {}
): ServerTable.ServerRow => {
  const [configured] = McpConfig.ofDocument({ [name]: { command: "c", ...entry } }, "user", "f").servers
  if (configured === undefined) throw new Error("there is no server")
  return { configured, generation: 1, ...ServerTable.idle("ready"), ...more }
}
const rowsOf = (...rows: ReadonlyArray<ServerTable.ServerRow>): ServerTable.Rows =>
  new Map(rows.map((row) => [row.configured.name, row]))

describe("the list of statuses", () => {
  test("is the same object while nothing about a server changes, and so is each status in it", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const table = yield* ServerTable.make
        const list = ServerTable.statuses(table)
        yield* SubscriptionRef.set(table, rowsOf(rowOf("b"), rowOf("a", { tools: 2 })))
        const first = yield* list
        expect(first.map(({ name }) => name)).toEqual(["a", "b"])
        expect(yield* list).toBe(first)
        // Other rows that say the same of their servers: a process id is no part of a status.
        yield* SubscriptionRef.set(
          table,
          rowsOf(rowOf("a", { tools: 2, pid: 7 }, { timeout: 5 }), rowOf("b"))
        )
        expect(yield* list).toBe(first)
        yield* SubscriptionRef.set(
          table,
          rowsOf(rowOf("a", { tools: 2 }), rowOf("b", ServerTable.idle("failed", "x")))
        )
        const second = yield* list
        expect(second[0]).toBe(first[0])
        expect(second[1]).not.toBe(first[1])
        expect(first[1]?.state).toBe("ready")
      })
    ))

  test("has another status for every fact that policy may decide by", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const table = yield* ServerTable.make
        const list = ServerTable.statuses(table)
        const changed = [
          rowOf("a"),
          rowOf("a", { tools: 1 }),
          rowOf("a", { tools: 1 }, { allowed_persona_ids: ["p"] }),
          rowOf("a", { ...ServerTable.idle("failed", "why"), tools: 1 }),
          rowOf("a", { ...ServerTable.idle("failed", "another"), tools: 1 })
        ]
        const seen = new Set<unknown>()
        for (const row of changed) {
          yield* SubscriptionRef.set(table, rowsOf(row))
          seen.add((yield* list)[0])
        }
        expect(seen.size).toBe(changed.length)
        yield* SubscriptionRef.set(table, rowsOf(rowOf("a", {}, { allowed_persona_ids: [] })))
        expect((yield* list)[0]?.audience).toEqual(Audience.only([]))
      })
    ))
})

describe("waiting", () => {
  const ready = { state: "ready", atRest: false } as const

  test("for all servers takes in the second look, for a named one it does not", () => {
    const early = rowsOf(rowOf("a", ready), rowOf("b", ServerTable.idle("failed")))
    expect(Readiness.isSettled(early, [])).toBe(false)
    expect(Readiness.isSettled(early, ["a"])).toBe(true)
    expect(Readiness.isSettled(rowsOf(rowOf("a"), rowOf("b", ServerTable.idle("failed"))), [])).toBe(true)
  })

  test("ends where there is no hope, and not where a server is tried again", () => {
    const of = (more: Partial<ServerTable.ServerRow>) => Readiness.isSettled(rowsOf(rowOf("a", more)), ["a"])
    expect(of(ServerTable.idle("starting"))).toBe(false)
    expect(of({ ...ServerTable.idle("failed"), atRest: false })).toBe(false)
    expect(of(ServerTable.idle("failed"))).toBe(true)
    for (const state of ["disabled", "untrusted", "needs_auth"] as const)
      expect(of(ServerTable.idle(state))).toBe(true)
    expect(Readiness.isSettled(rowsOf(), ["nobody"])).toBe(true)
    expect(Readiness.isSettled(rowsOf(), [])).toBe(true)
  })
})
