import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import * as RemoteTool from "../../src/server/RemoteTool.ts"
import * as ToolFilter from "../../src/server/ToolFilter.ts"

const schema = {
  type: "object",
  properties: { q: { $ref: "#/$defs/Q" } },
  $defs: { Q: { enum: [1, "x"] } },
  required: ["q"]
}
const decode = (more: object) => RemoteTool.decode({ name: "t", inputSchema: schema, ...more })
const good = (more: object) => Result.getOrThrow(decode(more))

describe("a listed tool", () => {
  test("keeps its schema as it is", () => {
    expect(good({}).inputSchema).toEqual(schema)
    expect(good({}).description).toBe("")
  })

  test("with a schema nested deeper than any stack is left out, and says so", () => {
    const nested = (levels: number) =>
      JSON.parse(`${'{"type":"object","properties":{"a":'.repeat(levels)}{}${"}}".repeat(levels)}`)
    expect(good({ inputSchema: nested(50) }).inputSchema).toEqual(nested(50))
    expect(Result.getOrThrow(Result.flip(decode({ inputSchema: nested(20_000) })))).toEqual({
      name: "t",
      reason: "its input schema is nested more than 200 levels deep"
    })
  })

  for (const [given, expected] of [
    [undefined, { type: "object", properties: {} }],
    [null, { type: "object", properties: {} }],
    [
      { properties: { q: {} }, required: ["q"] },
      { type: "object", properties: { q: {} }, required: ["q"] }
    ],
    [{ type: "object" }, { type: "object", properties: {} }],
    [{ type: ["object", "null"] }, { type: "object", properties: {} }],
    [{ anyOf: [{ type: "object" }] }, { type: "object", properties: {}, anyOf: [{ type: "object" }] }],
    [true, { type: "object", properties: {} }],
    [false, { type: "object", properties: {}, additionalProperties: false }],
    [
      { type: "Object", properties: { q: {} } },
      { type: "object", properties: { q: {} } }
    ],
    [{ type: "dict" }, { type: "object", properties: {} }],
    [
      { type: null, properties: null },
      { type: "object", properties: {} }
    ],
    [
      { type: [], properties: [] },
      { type: "object", properties: {} }
    ],
    [{ properties: [{ name: "q", type: "str" }] }, { type: "object", properties: { q: { type: "string" } } }],
    ['{"type":"object","properties":{"q":{}}}', { type: "object", properties: { q: {} } }],
    [
      { $ref: "#/$defs/In", $defs: { In: { type: "object", properties: { q: {} } } } },
      { type: "object", properties: { q: {} }, $defs: { In: { type: "object", properties: { q: {} } } } }
    ]
  ] as const)
    test(`with the schema ${JSON.stringify(given)} is mended`, () => {
      expect(good({ inputSchema: given }).inputSchema).toEqual(expected)
    })

  for (const given of [
    { type: "string" },
    { type: ["string", "null"] },
    { type: "weird" },
    "x",
    7,
    [],
    { type: "object", properties: ["q"] },
    { type: "object", properties: "q" }
  ])
    test(`with the schema ${JSON.stringify(given)} is left out by name`, () => {
      expect(decode({ inputSchema: given })).toMatchObject({
        failure: { name: "t", reason: expect.stringContaining("its input schema") }
      })
    })

  test("without a name is left out", () => {
    expect(decode({ name: "" })).toEqual(Result.fail({ name: "", reason: "it has no name" }))
    expect(RemoteTool.decode(7)).toEqual(Result.fail({ name: "", reason: "it is not an object" }))
  })

  for (const [annotations, readOnly] of [
    [{ readOnlyHint: true }, true],
    [{ read_only_hint: true }, true],
    [{ readOnlyHint: true, idempotentHint: true, destructiveHint: false }, true],
    [{ readOnlyHint: false }, false],
    [undefined, false],
    [null, false],
    [{}, false],
    [{ readOnlyHint: "true" }, false],
    [{ readOnlyHint: 1 }, false],
    [{ readOnlyHint: true, destructiveHint: true }, false],
    [{ readOnlyHint: true, read_only_hint: false }, false]
  ] as const)
    test(`with ${JSON.stringify(annotations)} ${readOnly ? "only reads" : "may change things"}`, () => {
      expect(good({ annotations }).readOnly).toBe(readOnly)
    })
})

describe("patterns", () => {
  const patterns = { includeTools: ["get_*", "li?t"], excludeTools: ["*_secret"] }
  test("keep what is included and not excluded", () => {
    const names = ["get_a", "get_secret", "put_a", "list", "lint_", "get_"]
    expect(names.filter((name) => ToolFilter.isKept(name, patterns))).toEqual(["get_a", "list", "get_"])
    expect(ToolFilter.isKept("any", { includeTools: undefined, excludeTools: [] })).toBe(true)
    expect(ToolFilter.isKept("any", { includeTools: [], excludeTools: [] })).toBe(false)
  })
  test("that match nothing are named", () => {
    expect(ToolFilter.unused(["get_a"], patterns)).toEqual(["li?t", "*_secret"])
  })
  test("with many stars answer at once", () => {
    expect(ToolFilter.matches(`${"*a".repeat(40)}b`, "a".repeat(5000))).toBe(false)
  })
})
