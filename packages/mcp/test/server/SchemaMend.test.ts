import { describe, expect, test } from "bun:test"
import type * as Schema from "effect/Schema"
import fc from "fast-check"
import * as SchemaMend from "../../src/server/SchemaMend.ts"

const of = (property: Schema.Json) => ({ type: "object", properties: { q: property } })

describe("a schema that is none", () => {
  for (const [what, given, mended] of [
    ["types in capitals", of({ type: "STRING" }), of({ type: "string" })],
    ["types of other languages", of({ type: ["int", "None"] }), of({ type: ["integer", "null"] })],
    ["a type that nobody knows", of({ type: "file", title: "F" }), of({ title: "F" })],
    ["a word in place of a schema", of("string"), of({ type: "string" })],
    ["null in place of a schema", of(null), of({})],
    ["a list in place of properties", of({ properties: [] }), of({ properties: {} })],
    ["required that is no list", { ...of({}), required: "q" }, { ...of({}), required: ["q"] }],
    ["required that is null", { ...of({}), required: null }, of({})],
    ["a name that is required twice", { ...of({}), required: ["q", "q", 1] }, { ...of({}), required: ["q"] }],
    [
      "required at the property",
      of({ type: "string", required: true }),
      { ...of({ type: "string" }), required: ["q"] }
    ],
    ["an enum that is no list", of({ enum: "a" }), of({ enum: ["a"] })],
    ["an empty enum", of({ type: "string", enum: [] }), of({ type: "string" })],
    ["values twice in an enum", of({ enum: ["a", "a", null] }), of({ enum: ["a", null] })],
    [
      "numbers as texts",
      of({ minLength: "1", maximum: "2.5", maxItems: -1 }),
      of({ minLength: 1, maximum: 2.5 })
    ],
    [
      "bounds of draft 4",
      of({ minimum: 3, exclusiveMinimum: true }),
      of({ minimum: 3, exclusiveMinimum: 3 })
    ],
    ["another language's pattern", of({ pattern: "(?P<year>\\d+)\\Z" }), of({})],
    ["a tuple of draft 7", of({ items: [{ type: "str" }] }), of({ prefixItems: [{ type: "string" }] })],
    ["items that are null", of({ type: "array", items: null }), of({ type: "array" })],
    ["anyOf without members", of({ anyOf: [] }), of({})],
    [
      "additionalProperties as a text",
      { ...of({}), additionalProperties: "false" },
      { ...of({}), additionalProperties: false }
    ],
    ["nullable without a type", of({ nullable: true }), of({})],
    ["an id of draft 4", { ...of({}), id: "x" }, of({})],
    ["a description that is a list", of({ description: ["a"] }), of({})],
    [
      "slips far inside",
      of({ items: { anyOf: [{ type: "Int" }] } }),
      of({ items: { anyOf: [{ type: "integer" }] } })
    ]
  ] as const)
    test(`with ${what} is mended`, () => {
      expect(SchemaMend.mend(given)).toEqual(mended as never)
    })

  test("keeps properties that are called like keywords", () => {
    const given = {
      type: "object",
      properties: { id: { type: "Str" }, required: { type: "bool" }, type: {} }
    }
    expect(SchemaMend.mend(given)).toEqual({
      type: "object",
      properties: { id: { type: "string" }, required: { type: "boolean" }, type: {} }
    })
  })

  test("is mended once and for all, whatever it is", () => {
    const key = fc.constantFrom(
      "type",
      "properties",
      "required",
      "items",
      "enum",
      "minimum",
      "$ref",
      "anyOf",
      "pattern",
      "x"
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(null, true, "string", "Int", 3, "(", []),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 4 })
      )
    }))
    fc.assert(
      fc.property(fc.dictionary(key, tree, { maxKeys: 4 }), (given) => {
        const once = SchemaMend.mend(given as never)
        expect(SchemaMend.mend(once)).toEqual(once)
      })
    )
  })
})
