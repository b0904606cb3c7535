import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { Tool, ToolResult, ToolSpec } from "../../src/index.ts"

const three = { name: "look", specialist: "general_worker", tool: "look" }
const failure = (given: unknown) =>
  Result.getOrThrow(Result.flip(ToolSpec.make(given as Parameters<typeof ToolSpec.make>[0])))

describe("make", () => {
  test("has exactly the six fields, with defaults for the three that were not given", () => {
    expect(Result.getOrThrow(ToolSpec.make(three))).toEqual({
      ...three,
      requires_confirmation: false,
      mutates_data: false,
      server: ""
    })
    const all = { ...three, requires_confirmation: true, mutates_data: true, server: "fs" }
    expect(Result.getOrThrow(ToolSpec.make(all))).toEqual(all)
  })

  test("refuses a seventh field and names it", () => {
    const error = failure({ ...three, dangerous: true })
    expect([error.reason, error.message]).toEqual(["unknown_field", 'a tool spec has no field "dangerous"'])
  })

  test("refuses a spec without its name or tool", () => {
    expect(failure({ ...three, name: "" }).reason).toBe("missing_field")
    expect(failure({ ...three, tool: undefined }).message).toBe('a tool spec needs "tool"')
  })

  test("refuses a worker name that is not canonical and suggests one", () => {
    const cases: ReadonlyArray<[string, string]> = [
      ["knowledge", "knowledge_worker"],
      ["", "general_worker"],
      ["Knowledge Base", "knowledge_base_worker"],
      ["knowledge-worker", "knowledge_worker"],
      ["42", "general_worker"],
      ["_worker", "general_worker"]
    ]
    for (const [given, near] of cases) {
      const error = failure({ ...three, specialist: given })
      expect(error.reason).toBe("specialist_not_canonical")
      expect(error.message).toContain(`did you mean "${near}"?`)
    }
    for (const good of ["knowledge_worker", "mcp_worker", "a1_b2_worker"])
      expect(Result.isSuccess(ToolSpec.make({ ...three, specialist: good }))).toBe(true)
  })

  test("what it suggests is always canonical", () => {
    const isCanonical = Schema.is(ToolSpec.Specialist)
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."aZ9_- é") }), (specialist) => {
        fc.pre(!isCanonical(specialist))
        const [, near = ""] = /did you mean "(.*)"\?$/.exec(failure({ ...three, specialist }).message) ?? []
        expect(isCanonical(near)).toBe(true)
      })
    )
  })
})

test("read-only is what neither changes anything nor needs a person", () => {
  const spec = (requires_confirmation: boolean, mutates_data: boolean) =>
    ToolSpec.isReadOnly({ ...three, server: "", requires_confirmation, mutates_data })
  expect([spec(false, false), spec(true, false), spec(false, true), spec(true, true)]).toEqual([
    true,
    false,
    false,
    false
  ])
})

describe("Tool.make", () => {
  const run = () => Effect.succeed(ToolResult.ok("x"))

  test("gives a tool without a schema one text field and the facts of a built-in that changes nothing", () => {
    const tool = Tool.make({ name: "look", description: "looks", run })
    expect(tool.inputSchema).toEqual({
      type: "object",
      properties: { request: { type: "string" } },
      required: ["request"],
      additionalProperties: false
    })
    expect(tool.spec).toEqual({ ...three, requires_confirmation: false, mutates_data: false, server: "" })
    expect(tool.parallelSafe).toBe(false)
  })

  test("throws for a wrong spec, which is a bug of the tool's author", () => {
    const wrong = { name: "x", description: "", run, spec: { specialist: "knowledge" } }
    expect(() => Tool.make(wrong)).toThrow("knowledge_worker")
  })

  test("tells a provider exactly name, description and schema", () => {
    const schema = { type: "object", properties: { b: {}, a: {} } }
    const tool = Tool.make({ name: "look", description: "looks", run, inputSchema: schema })
    expect(Object.keys(Tool.definition(tool))).toEqual(["name", "description", "inputSchema"])
    expect(Tool.definition(tool).inputSchema).toBe(schema)
  })
})

describe("ToolResult", () => {
  test("each of the five ways to end has its status", () => {
    const results = [
      ToolResult.ok("a"),
      ToolResult.failed("a"),
      ToolResult.timeout("a"),
      ToolResult.denied("not_granted"),
      ToolResult.cancelled()
    ]
    expect(results.map(ToolResult.statusOf)).toEqual(["ok", "error", "timeout", "denied", "cancelled"])
  })

  test("a refusal says so as JSON, with what to do instead where that helps", () => {
    expect(ToolResult.textOf(ToolResult.denied("not_granted"))).toBe(
      '{"status":"denied","reason":"not_granted"}'
    )
    expect(ToolResult.textOf(ToolResult.denied("permission_mode", "say so"))).toBe(
      '{"status":"denied","reason":"permission_mode","detail":"say so"}'
    )
  })

  test("a plain value becomes its text or its JSON, without a wrapper", () => {
    const texts = (["", "word", { a: 1 }, [1, 2], 3, null, true] as const).map((value) =>
      ToolResult.textOf(ToolResult.fromValue(value as Schema.Json))
    )
    expect(texts).toEqual(["", "word", '{"a":1}', "[1,2]", "3", "null", "true"])
    expect(ToolResult.fromValue({ a: 1 })).toMatchObject({ structured: { a: 1 } })
    expect(ToolResult.fromValue(3)).not.toHaveProperty("structured")
  })
})
