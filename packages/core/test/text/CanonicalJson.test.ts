import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { CanonicalJson } from "../../src/index.ts"

const { stringify } = CanonicalJson

/** The same value with the keys of every object in the opposite order. */
const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, turned(one)] as const)
      .reverse()
  )
}

describe("CanonicalJson", () => {
  test("is the same text whatever the order of keys, and JSON of the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const value = JSON.parse(JSON.stringify(given))
        expect(stringify(turned(value))).toBe(stringify(value))
        expect(JSON.parse(stringify(value))).toEqual(value)
      })
    )
  })

  test("the order of a list counts, and a field that is undefined does not", () => {
    expect(stringify({ b: [1, { d: 1, c: 2 }], a: 1 })).toBe('{"a":1,"b":[1,{"c":2,"d":1}]}')
    expect(stringify({ a: [1, 2] })).not.toBe(stringify({ a: [2, 1] }))
    expect(stringify({ a: undefined, b: [undefined] })).toBe('{"b":[null]}')
  })
})
