import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { McpToolName } from "../../src/index.ts"

const one = (server: string, tool: string, servers: ReadonlyArray<string> = []) =>
  McpToolName.ofTools(server, [tool], servers)[0] as string

const pattern = /^[A-Za-z0-9_-]{1,64}$/

describe("tool names", () => {
  test("are mcp__server__tool with other characters replaced", () => {
    expect(one("x", "two")).toBe("mcp__x__two")
    expect(one("my server.x", "get.it/now")).toBe("mcp__my_server_x__get_it_now")
    expect(one("x", "read")).toBe("mcp__x__read")
  })

  test("that become equal both end in a hash, alone they do not", () => {
    const [dot, low, other] = McpToolName.ofTools("x", ["a.b", "a_b", "c"], []) as [string, string, string]
    expect(dot).toMatch(/^mcp__x__a_b_[0-9a-z]{10}$/)
    expect(low).toMatch(/^mcp__x__a_b_[0-9a-z]{10}$/)
    expect(dot).not.toBe(low)
    expect(other).toBe("mcp__x__c")
  })

  test("of servers whose names become equal, or could be read as one another's, stay apart", () => {
    const servers = ["a.b", "a b", "a", "a__b", "z"]
    expect(one("a.b", "id", servers)).not.toBe(one("a b", "id", servers))
    expect(one("a", "b__c", servers)).toBe("mcp__a__b__c")
    expect(one("a__b", "c", servers)).toMatch(/^mcp__a__b__c_[0-9a-z]{10}$/)
    expect(one("a__b", "c", ["z"])).toBe("mcp__a__b__c")
  })

  test("over 64 characters are cut and end in a hash that never changes", () => {
    const name = one("server", `very_${"long_".repeat(20)}name`)
    expect(name).toBe("mcp__server__very_long_long_long_long_long_long_long__h9vx8paa9c")
  })

  test("are valid, distinct and independent of order, whatever servers and tools are called", () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1, unit: "grapheme" }), {
      minLength: 1,
      maxLength: 6
    })
    fc.assert(
      fc.property(names, names, (servers, tools) => {
        const all = servers.flatMap((server) => McpToolName.ofTools(server, tools, servers))
        for (const name of all) expect(name).toMatch(pattern)
        expect(new Set(all).size).toBe(all.length)
        const reversed = servers.flatMap((server) =>
          McpToolName.ofTools(server, tools.toReversed(), servers.toReversed()).toReversed()
        )
        expect(reversed).toEqual(all)
      })
    )
  })

  test("that look alike on purpose stay apart", () => {
    const part = fc.stringMatching(/^[ab_.]{1,5}$/)
    fc.assert(
      fc.property(
        fc.uniqueArray(part, { minLength: 2, maxLength: 5 }),
        fc.uniqueArray(part, { minLength: 2 }),
        (servers, tools) => {
          const all = servers.flatMap((server) => McpToolName.ofTools(server, tools, servers))
          expect(new Set(all).size).toBe(all.length)
        }
      ),
      { numRuns: 500 }
    )
  })

  test("tell to which servers they may belong, however long", () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 80 })
    fc.assert(
      fc.property(text, text, (server, tool) => {
        expect(McpToolName.mayBelongTo(server, one(server, tool))).toBe(true)
      })
    )
    expect(McpToolName.mayBelongTo("a", "mcp__b__read")).toBe(false)
    expect(McpToolName.mayBelongTo("a", "mcp__ab__read")).toBe(false)
  })
})
