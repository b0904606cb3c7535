import { describe, expect, test } from "bun:test"
import type { Message } from "@cow/core"
import * as Result from "effect/Result"
import fc from "fast-check"
import * as ParamHeaders from "../../src/connection/ParamHeaders.ts"

const schema = (properties: Message.JsonObject, more: Message.JsonObject = {}): Message.JsonObject => ({
  type: "object",
  properties,
  ...more
})
const headersOf = (inputSchema: Message.JsonObject, input: Message.JsonObject) =>
  ParamHeaders.headers(Result.getOrThrow(ParamHeaders.declared(inputSchema)), input)

describe("parameters that are mirrored in headers", () => {
  test("are those that say so, at any depth of properties", () => {
    const tool = schema({
      region: { type: "string", "x-mcp-header": "Region" },
      plain: { type: "string" },
      at: { type: "object", properties: { row: { type: "integer", "x-mcp-header": "Row" } } },
      dry: { type: "boolean", "x-mcp-header": "Dry" }
    })
    expect(headersOf(tool, { region: "eu", plain: "p", at: { row: 7 }, dry: false })).toEqual({
      "Mcp-Param-Region": "eu",
      "Mcp-Param-Row": "7",
      "Mcp-Param-Dry": "false"
    })
  })

  test("are left out where they are null, absent, or no single value", () => {
    const tool = schema({
      a: { type: "string", "x-mcp-header": "A" },
      b: { type: "string", "x-mcp-header": "B" },
      c: { type: "string", "x-mcp-header": "C" }
    })
    expect(headersOf(tool, { a: null, c: ["x"] })).toEqual({})
  })

  test("may be called like what every object has", () => {
    expect(headersOf(schema({ constructor: { type: "string", "x-mcp-header": "C" } }), {})).toEqual({})
  })

  test("go in Base64 where a header cannot carry them", () => {
    for (const text of ["", " blank", "blank ", "a\nb", "é", "日本", "=?base64?eA==?="])
      expect(ParamHeaders.encode(text)).toMatch(/^=\?base64\?.*\?=$/)
    for (const text of ["eu-west-1", "a b", "=?x?="]) expect(ParamHeaders.encode(text)).toBe(text)
  })

  test("come back as they were, and no header carries a line end", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const encoded = ParamHeaders.encode(text)
        expect(encoded).toMatch(/^[\t\x20-\x7e]+$/)
        const inner = /^=\?base64\?(.*)\?=$/.exec(encoded)?.[1]
        const back =
          inner === undefined
            ? encoded
            : new TextDecoder("utf-8", { ignoreBOM: true }).decode(
                Uint8Array.from(atob(inner), (character) => character.charCodeAt(0))
              )
        expect(back).toBe(text)
      })
    )
  })
})

describe("a tool that declares them wrongly", () => {
  const string = { type: "string", "x-mcp-header": "X" }
  for (const [what, inputSchema] of [
    ["without a name", schema({ a: { type: "string", "x-mcp-header": "" } })],
    ["with a name that is no header's", schema({ a: { type: "string", "x-mcp-header": "a b" } })],
    ["with a number as name", schema({ a: { type: "string", "x-mcp-header": 7 } })],
    ["for a number", schema({ a: { type: "number", "x-mcp-header": "A" } })],
    ["for an object", schema({ a: { type: "object", "x-mcp-header": "A" } })],
    ["for no type", schema({ a: { "x-mcp-header": "A" } })],
    ["twice but for case", schema({ a: string, b: { ...string, "x-mcp-header": "x" } })],
    ["at the root", schema({}, { "x-mcp-header": "X" })],
    ["in a list", schema({ a: { type: "array", items: string } })],
    ["in an alternative", schema({ a: { anyOf: [string] } })],
    ["in a definition", schema({}, { $defs: { a: string } })],
    ["below a definition", schema({}, { $defs: { a: schema({ b: string }) } })]
  ] as ReadonlyArray<readonly [string, Message.JsonObject]>)
    test(`${what} cannot be used, and the reason says where`, () => {
      const declared = ParamHeaders.declared(inputSchema)
      expect(Result.isFailure(declared) ? declared.failure : "accepted").toContain("header")
    })

  test("is no tool whose parameter is only called so, or whose default is", () => {
    const tool = schema({ "x-mcp-header": { type: "string", default: { "x-mcp-header": "a b" } } })
    expect(ParamHeaders.declared(tool)).toEqual(Result.succeed([]))
  })
})
