import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import fc from "fast-check"
import { parsePages } from "../../src/files/PdfText.ts"

const range = (pages: string | undefined, total = 100) => {
  const parsed = parsePages(pages, total)
  return Result.isSuccess(parsed) ? [parsed.success.first, parsed.success.last] : "error"
}

describe("the pages of a PDF", () => {
  test("are one, a range, from one on, or the first twenty", () => {
    expect(range(undefined)).toEqual([1, 20])
    expect(range("3")).toEqual([3, 3])
    expect(range("2-8")).toEqual([2, 8])
    expect(range("95-")).toEqual([95, 100])
    expect(range("1-500")).toEqual([1, 20])
    expect(range("10-")).toEqual([10, 29])
    expect(range(undefined, 3)).toEqual([1, 3])
  })

  test("that are none are an error", () => {
    for (const pages of ["0", "abc", "5-2", "200", "", "-", "-3", "1.5", "1-2-3", "0-3"])
      expect([pages, range(pages)]).toEqual([pages, "error"])
  })

  test("are never past the end nor more than twenty", () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(300), fc.integer({ min: 1, max: 200 }), (from, to, total) => {
        const found = range(`${from}-${to}`, total)
        if (found === "error") expect(from < 1 || to < from || from > total).toBe(true)
        else {
          const [first = 0, last = 0] = found as ReadonlyArray<number>
          expect(first).toBe(from)
          expect(last).toBe(Math.min(to, total, from + 19))
        }
      })
    )
  })
})
