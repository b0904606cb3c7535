import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Audience } from "../../src/index.ts"

const id = fc.constantFrom("p1", "p2", "p3", "default", "*", " p1 ", "", " * ")
const ids = fc.array(id, { maxLength: 5 })

describe("an audience", () => {
  test("of * is everyone, of nobody is nobody, of names is exactly those", () => {
    expect(Audience.includes(Audience.fromIds(["*"]), "anyone")).toBe(true)
    expect(Audience.includes(Audience.fromIds([]), "default")).toBe(false)
    const two = Audience.fromIds(["p2", "p1"])
    expect(["p1", "p2", "p3"].map((persona) => Audience.includes(two, persona))).toEqual([true, true, false])
    expect(Audience.toIds(two)).toEqual(["p1", "p2"])
  })

  test("with * among names is everyone, and names alone never make it so", () => {
    expect(Audience.fromIds(["p1", " * "])).toEqual(Audience.everyone)
    expect(Audience.toIds(Audience.only(["p1", "*"]))).toEqual(["p1"])
    expect(Audience.includes(Audience.only(["*"]), "*")).toBe(false)
  })

  test("written and read again is the same, and never holds * beside a name", () => {
    fc.assert(
      fc.property(ids, (given) => {
        const audience = Audience.fromIds(given)
        const written = Audience.toIds(audience)
        expect(Audience.fromIds(written)).toEqual(audience)
        expect(Audience.toIds(Audience.fromIds([...given].reverse()))).toEqual(written)
        if (written.includes("*")) expect(written).toEqual(["*"])
        expect(written.includes("")).toBe(false)
      })
    )
  })
})
