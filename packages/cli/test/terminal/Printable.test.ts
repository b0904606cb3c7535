import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { compact, counted, oneLine, visible } from "../../src/terminal/Printable.ts"

const acting = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u

describe("Printable", () => {
  test("no text can bring a character that a terminal acts on", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(visible(text)).not.toMatch(acting)
        expect(oneLine(text)).not.toMatch(/\n|\t/)
      })
    )
  })

  test("ordinary text in any script, and emoji, stay as they are", () => {
    for (const text of ["Hällo\n\tWörld", "汉字", "नमस्ते", "👩‍👩‍👧", "می‌خواهم", "שלום"])
      expect(visible(text)).toBe(text)
  })

  test("what is taken out is shown, not lost", () => {
    expect(visible("a\x1b[2Jb\x07\x9b")).toBe("a\\x1b[2Jb\\x07\\x9b")
    expect(visible("safe\u202Eevil\u200B")).toBe("safe<U+202E>evil<U+200B>")
    expect(visible("a\r\nb\rc")).toBe("a\nb\\x0dc")
  })

  test("a long run of blanks cannot hide the end of a line", () => {
    const line = compact(`echo safe${" ".repeat(300)}; touch x \r echo harmless`)
    expect(line).toBe("echo safe …300 blanks… ; touch x \\x0d echo harmless")
  })

  test("one is not many", () => {
    expect([0, 1, 2].map((count) => counted(count, "tool"))).toEqual(["0 tools", "1 tool", "2 tools"])
  })
})
