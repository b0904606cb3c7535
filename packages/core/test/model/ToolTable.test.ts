import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { ToolTable } from "../../src/index.ts"
import { builtin, plugin, server, someTool } from "../SomeTool.ts"

const names = (table: ToolTable.ToolTable) => table.tools.map(({ tool }) => tool.name)
const read = someTool("read")

describe("build", () => {
  test("built-ins stand before plugins before MCP, each sorted by name", () => {
    const table = ToolTable.build([
      { source: server("b"), tools: [someTool("mcp__b__x")] },
      { source: server("a"), tools: [someTool("mcp__a__x")] },
      { source: plugin("zoo", 0), tools: [someTool("zebra"), someTool("ape")] },
      { source: plugin("art", 1), tools: [someTool("brush")] },
      { source: builtin, tools: [someTool("write"), read] }
    ])
    expect(names(table)).toEqual(["read", "write", "ape", "brush", "zebra", "mcp__a__x", "mcp__b__x"])
  })

  test("names are told apart by case", () => {
    const table = ToolTable.build([{ source: builtin, tools: [read, someTool("Read")] }])
    expect(table.byName.get("read")?.tool).toBe(read)
    expect(table.byName.get("READ")).toBeUndefined()
    expect(table.tools.length).toBe(2)
  })

  test("a built-in is never replaced, and who tried is named", () => {
    const acme = plugin("acme")
    const table = ToolTable.build([
      { source: acme, tools: [someTool("read"), someTool("paint")] },
      { source: builtin, tools: [read] }
    ])
    expect(table.byName.get("read")).toEqual({ tool: read, source: builtin })
    expect(table.byName.get("paint")?.source).toBe(acme)
    expect(table.refused).toEqual([{ name: "read", source: acme, reason: "taken", by: builtin }])
  })

  test("a plugin cannot take a server's name nor a server a plain one; the rest of each stays", () => {
    const acme = plugin("acme")
    const table = ToolTable.build([
      { source: acme, tools: [someTool("mcp__a__b"), someTool("paint")] },
      { source: server("a"), tools: [someTool("paint2"), someTool("mcp__a__c")] },
      { source: builtin, tools: [someTool("mcp__x__y")] }
    ])
    expect(names(table)).toEqual(["paint", "mcp__a__c"])
    expect(table.refused.map(({ name, reason }) => [name, reason])).toEqual([
      ["mcp__x__y", "reserved"],
      ["mcp__a__b", "reserved"],
      ["paint2", "reserved"]
    ])
  })

  test("of two plugins the first in the configuration keeps the name, whoever came first in time", () => {
    const first = plugin("zzz", 0)
    const second = plugin("aaa", 1)
    const foo = someTool("foo")
    for (const order of [
      [first, second],
      [second, first]
    ]) {
      const tools = new Map([
        [first, foo],
        [second, someTool("foo")]
      ])
      const table = ToolTable.build(order.map((source) => ({ source, tools: [tools.get(source) ?? foo] })))
      expect(table.byName.get("foo")).toEqual({ tool: foo, source: first })
      expect(table.refused).toEqual([{ name: "foo", source: second, reason: "taken", by: first }])
    }
  })

  test("the same name twice in one source is a duplicate; the first stays", () => {
    const acme = plugin("acme")
    const first = someTool("foo")
    const table = ToolTable.build([{ source: acme, tools: [first, someTool("foo")] }])
    expect(table.byName.get("foo")?.tool).toBe(first)
    expect(table.refused).toEqual([{ name: "foo", source: acme, reason: "duplicate", by: acme }])
  })

  test("two servers may offer the same tool; taking one away leaves the other and the built-ins", () => {
    const a = { source: server("a"), tools: [someTool("mcp__a__search")] }
    const b = { source: server("b"), tools: [someTool("mcp__b__search")] }
    const own = { source: builtin, tools: [read] }
    expect(names(ToolTable.build([a, b, own]))).toEqual(["read", "mcp__a__search", "mcp__b__search"])
    expect(names(ToolTable.build([b, own]))).toEqual(["read", "mcp__b__search"])
  })

  test("the same registrations in any order give the same table", () => {
    const sources = [
      builtin,
      plugin("acme", 0),
      plugin("beta", 0),
      plugin("alpha", 1),
      server("a"),
      server("b"),
      server("B")
    ]
    const toolNames = ["read", "foo", "bar", "mcp__a__x", "mcp__b__x", "mcp__a__y"]
    const registrations = fc
      .array(fc.array(fc.constantFrom(...toolNames), { maxLength: 5 }), { minLength: 7, maxLength: 7 })
      .map((lists) =>
        sources.map((source, at) => ({ source, tools: (lists[at] ?? []).map((name) => someTool(name)) }))
      )
    fc.assert(
      fc.property(
        registrations.chain((given) =>
          fc.tuple(fc.constant(given), fc.shuffledSubarray([...given], { minLength: 7, maxLength: 7 }))
        ),
        ([given, shuffled]) => {
          const one = ToolTable.build(given)
          const other = ToolTable.build(shuffled)
          expect(other).toEqual(one)
          expect(other.tools.every(({ tool }, at) => tool === one.tools[at]?.tool)).toBe(true)
          // Nothing is dropped in silence.
          const offered = given.reduce((sum, { tools }) => sum + tools.length, 0)
          expect(one.tools.length + one.refused.length).toBe(offered)
          expect(one.byName.size).toBe(one.tools.length)
        }
      )
    )
  })
})

describe("revision", () => {
  const two = [someTool("one"), someTool("two")]

  test("grows by one for new tools and for tools that go, and not for what changes nothing", () => {
    const base = ToolTable.build([{ source: builtin, tools: [read] }])
    const more = ToolTable.build([{ source: builtin, tools: [read, ...two] }], base)
    expect(more.revision).toBe(base.revision + 1)
    expect(ToolTable.build([{ source: builtin, tools: [read, ...two] }], more).revision).toBe(more.revision)
    const refused = ToolTable.build(
      [
        { source: builtin, tools: [read, ...two] },
        { source: plugin("p"), tools: [someTool("read")] }
      ],
      more
    )
    expect(refused.revision).toBe(more.revision)
    expect(refused.refused.length).toBe(1)
    expect(ToolTable.build([{ source: builtin, tools: [read, ...two.slice(1)] }], more).revision).toBe(
      more.revision + 1
    )
  })

  test("grows when a tool of the same name has another definition", () => {
    const before = ToolTable.build([{ source: builtin, tools: [read] }])
    const after = ToolTable.build([{ source: builtin, tools: [someTool("read")] }], before)
    expect(after.revision).toBe(before.revision + 1)
    expect(ToolTable.difference(before, after)).toEqual({ added: [], removed: [] })
  })
})

test("difference names what came and what went, sorted", () => {
  const before = ToolTable.build([{ source: builtin, tools: [read, someTool("b"), someTool("a")] }])
  const after = ToolTable.build([{ source: builtin, tools: [read, someTool("d"), someTool("c")] }])
  expect(ToolTable.difference(before, after)).toEqual({ added: ["c", "d"], removed: ["a", "b"] })
})
