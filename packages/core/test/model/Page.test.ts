import { expect, test } from "bun:test"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { Page } from "../../src/index.ts"

const cursors = fc.record({
  at: fc.integer(),
  id: fc.string({ unit: "binary" }).map((id) => id.toWellFormed())
})

test("a place comes back from its text, which stands in addresses and on command lines as it is", () => {
  fc.assert(
    fc.property(cursors, (cursor) => {
      const text = Page.cursorText(cursor)
      expect(text).toMatch(/^[A-Za-z0-9_-]+$/)
      expect(Page.parseCursor(text)).toEqual(Option.some(cursor))
    })
  )
})

test.each(["", "x", "eyJ9", "7", "null", "%%%", "é", Page.cursorText({ at: 1, id: "a" }).slice(0, -3)])(
  "a text that no page gave is no place: %s",
  (text) => {
    expect(Option.isNone(Page.parseCursor(text))).toBe(true)
  }
)

test("the pages of a list, put together, are the list, whatever their length", () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), fc.integer({ min: -1, max: 7 }), (numbers, limit) => {
      const items = numbers.map((value, at) => ({ at, value }))
      const seen: Array<number> = []
      let request: Page.PageRequest = { limit }
      for (;;) {
        const { cursor } = request
        const from = items.filter(({ at }) => cursor === undefined || at > cursor.at)
        const page = Page.make(from.slice(0, Page.toRead(request)), request, ({ at }) => ({ at, id: "" }))
        expect(page.items.length).toBeLessThanOrEqual(Math.max(1, limit))
        seen.push(...page.items.map(({ value }) => value))
        if (page.next === null) break
        request = { limit, cursor: page.next }
      }
      expect(seen).toEqual(numbers)
    })
  )
})
