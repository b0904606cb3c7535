import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Excerpt } from "../../src/index.ts"

const cow = "\u{1F404}"
/** Text in which characters of two units are common, and lone halves occur. */
const anyText = fc.string({ unit: fc.constantFrom("a", "é", "牛", cow, "\ud83d", "\udc04", "\n") })
const wholeText = fc.string({ unit: fc.constantFrom("a", "é", "牛", cow, "\n") })
const size = fc.integer({ min: -2, max: 30 })

describe("head and tail", () => {
  test("never halve a character", () => {
    expect(Excerpt.head(`a${cow}`, 2)).toBe("a")
    expect(Excerpt.tail(`${cow}a`, 2)).toBe("a")
    expect(Excerpt.head(`a${cow}`, 3)).toBe(`a${cow}`)
    fc.assert(
      fc.property(wholeText, size, (text, count) => {
        expect(Excerpt.head(text, count).isWellFormed()).toBe(true)
        expect(Excerpt.tail(text, count).isWellFormed()).toBe(true)
      })
    )
  })

  test("are the text's own beginning and end, at most as long as asked and at most one unit shorter", () => {
    fc.assert(
      fc.property(anyText, size, (text, count) => {
        const wanted = Math.max(0, Math.min(count, text.length))
        for (const cut of [Excerpt.head(text, count), Excerpt.tail(text, count)]) {
          expect(cut.length).toBeLessThanOrEqual(wanted)
          expect(cut.length).toBeGreaterThanOrEqual(wanted - 1)
        }
        expect(text.startsWith(Excerpt.head(text, count))).toBe(true)
        expect(text.endsWith(Excerpt.tail(text, count))).toBe(true)
      })
    )
  })
})

describe("middle", () => {
  test("keeps what fits as it is and cuts what does not around the notice", () => {
    expect(Excerpt.middle("0123456789", 10, "…")).toBe("0123456789")
    expect(Excerpt.middle("0123456789", 9, "…")).toBe("0123…6789")
    expect(Excerpt.middle("0123456789", 8, "…")).toBe("0123…789")
  })

  test("is never longer than asked, not even when the notice is", () => {
    fc.assert(
      fc.property(anyText, size, fc.string({ maxLength: 12 }), (text, count, notice) => {
        const cut = Excerpt.middle(text, count, notice)
        expect(cut.length).toBeLessThanOrEqual(Math.max(0, count, 0))
        if (text.length <= count) expect(cut).toBe(text)
        else if (notice.length <= count) expect(cut).toContain(notice)
      })
    )
  })

  test("of whole characters stays whole", () => {
    fc.assert(
      fc.property(wholeText, size, (text, count) => {
        expect(Excerpt.middle(text, count, "[…]").isWellFormed()).toBe(true)
      })
    )
  })
})

test("wellFormed puts a mark in place of lone halves and nothing else", () => {
  expect(Excerpt.wellFormed(`a\ud83d${cow}\udc04`)).toBe(`a\ufffd${cow}\ufffd`)
  fc.assert(
    fc.property(anyText, (text) => {
      expect(Excerpt.wellFormed(text).isWellFormed()).toBe(true)
      expect(Excerpt.wellFormed(text).length).toBe(text.length)
    })
  )
})

describe("a value made well-formed", () => {
  test("is the very value where nothing is wrong, and clean at any depth where something is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value: unknown) => {
        expect(Object.is(Excerpt.wellFormedDeep(value), value)).toBe(true)
      })
    )
    expect<unknown>(Excerpt.wellFormedDeep<unknown>({ a: ["\ud83d", { "\udc04": 1 }], b: "🐄" })).toEqual({
      a: ["\ufffd", { "\ufffd": 1 }],
      b: "🐄"
    })
  })
})
