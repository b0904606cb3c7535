import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { VisibleJson } from "../../src/index.ts"

const acting = /(?![\n\t])\p{Cc}|[\u00ad\u180e\u200b\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u

describe("VisibleJson", () => {
  test("keeps the data and holds nothing that a terminal acts on or that nobody sees", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\u{e0041}\u180e", "\u202eevil", "\u009b31m")
    )
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const json = JSON.stringify({ texts }, null, 2)
        expect(VisibleJson.escape(json)).not.toMatch(acting)
        expect(JSON.parse(VisibleJson.escape(json))).toEqual(JSON.parse(json))
      })
    )
  })

  test("ordinary text in any script, and emoji, stay as they are", () => {
    const json = JSON.stringify(["Hällo\n\tWörld", "汉字", "नमस्ते", "👩 🐄", "שלום"])
    expect(VisibleJson.escape(json)).toBe(json)
  })
})
