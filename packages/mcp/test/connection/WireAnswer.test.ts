import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as WireAnswer from "../../src/connection/WireAnswer.ts"
import { McpManager } from "../../src/McpManager.ts"
import { call, Home, raw } from "../Fixture.ts"

describe("an answer that JSON-RPC does not allow", () => {
  for (const [given, error] of [
    [{ result: null }, { code: -32603, message: "the server's answer is null, not an object" }],
    [{ result: 5 }, { code: -32603, message: "the server's answer is 5, not an object" }],
    [{ error: "boom" }, { code: -32603, message: '"boom"' }],
    [{ error: { code: "x", message: 5, data: 1 } }, { code: -32603, message: "5", data: 1 }],
    [{ error: { code: -32601 } }, { code: -32601, message: '{"code":-32601}' }]
  ] as const)
    test(`${JSON.stringify(given)} is an error that says so`, () => {
      expect(WireAnswer.repair({ jsonrpc: "2.0", id: 1, ...given })).toEqual({ jsonrpc: "2.0", id: 1, error })
    })

  for (const message of [
    { jsonrpc: "2.0", id: 1, result: {} },
    { jsonrpc: "2.0", id: "a", error: { code: 1, message: "m" } },
    { jsonrpc: "2.0", id: 1, method: "ping", params: 5 },
    { jsonrpc: "2.0", method: "notifications/progress" }
  ])
    test(`is not ${JSON.stringify(message)}, which stays as it is`, () => {
      expect(WireAnswer.repair(message)).toBe(message)
    })

  test("is repaired once: a repaired message stays", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("id", "result", "error", "method"), fc.jsonValue()),
        (one) => {
          const repaired = WireAnswer.repair(one as never)
          expect(WireAnswer.repair(repaired)).toBe(repaired)
        }
      )
    )
  })
})

describe("a server that answers so", () => {
  let home: Home
  beforeEach(() => {
    home = new Home()
  })
  afterEach(() => home.remove())

  test("to a call fails it at once, and to the question for its tools fails at once", async () => {
    home.write({ calls: raw({ tools: ["nothing"] }), lists: raw({ badList: true }) })
    const told = Effect.gen(function* () {
      const manager = yield* McpManager
      yield* manager.waitSettled(20)
      const began = Date.now()
      const result = yield* call("mcp__calls__nothing")
      expect(Date.now() - began).toBeLessThan(5_000)
      expect(result._tag).toBe("Failed")
      expect(ToolResult.textOf(result)).toContain("the server's answer is null, not an object")
      const [, lists] = yield* manager.list
      expect(lists).toMatchObject({ status: "failed" })
      expect(lists?.error).toContain("the server's answer is 5, not an object")
    })
    await home.run(told)
  })
})
