import { afterAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import * as Result from "effect/Result"
import fc from "fast-check"
import { parsePages } from "../../src/files/PdfPages.ts"
import { workbench } from "../Workbench.ts"
import { pdf } from "./MadePdf.ts"

const bench = workbench()
afterAll(bench.close)

const read = (name: string, bytes: Uint8Array, pages?: string) => {
  writeFileSync(bench.at(name), bytes)
  return bench.call("read", { path: name, ...(pages === undefined ? {} : { pages }) })
}
const texts = (count: number) => Array.from({ length: count }, (_, at) => [`text of ${at + 1}`, "more"])

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

describe("read of a PDF", () => {
  test("gives the text of the pages named, with what to call for more", async () => {
    const hundred = pdf(texts(100))
    const pagesIn = (text: string) =>
      [...text.matchAll(/^text of (\d+)\nmore$/gm)].map(([, page]) => Number(page))
    for (const [pages, first, last] of [
      [undefined, 1, 20],
      ["3", 3, 3],
      ["2-8", 2, 8],
      ["95-", 95, 100],
      ["1-500", 1, 20],
      ["10-", 10, 29]
    ] as const) {
      const { result, status, text } = await read("hundred.pdf", hundred, pages)
      expect([pages, status]).toEqual([pages, "ok"])
      const wanted = Array.from({ length: last - first + 1 }, (_, at) => first + at)
      expect(pagesIn(text)).toEqual(wanted)
      expect(text).toContain(`[page ${first} of 100]`)
      expect(text.includes(`continue with pages=${last + 1}-`)).toBe(last < 100)
      expect(result).toMatchObject({ structured: { first, last, total: 100 } })
    }
    for (const pages of ["0", "abc", "5-2", "200"]) {
      const { status, text } = await read("hundred.pdf", hundred, pages)
      expect([pages, status]).toEqual([pages, "error"])
      expect(text).toContain("hundred.pdf")
      expect(text).toContain(pages)
    }
  }, 60_000)

  test("says so of pages without text, and keeps signs whole", async () => {
    expect((await read("blank.pdf", pdf([[], []]))).text).toContain("hold no text")
    const some = (await read("some.pdf", pdf([["one"], []]))).text
    expect(some).toContain("[page 2 of 2]\n[no text]")
    expect((await read("signs.pdf", pdf([["100% (a\\b) caf\u00e9"]]))).text).toContain(
      "100% (a\\b) caf\u00e9"
    )
  })

  test("is one clear line for one that is damaged, locked, or no PDF behind its first bytes", async () => {
    const whole = pdf(texts(3))
    const bytes = (text: string) => new TextEncoder().encode(text)
    for (const [name, given] of [
      ["head.pdf", bytes("%PDF-1.7\n")],
      ["junk.pdf", bytes(`%PDF-1.4\n${"junk ".repeat(2000)}`)],
      ["cut.pdf", whole.slice(0, 150)],
      ["none.pdf", pdf([])]
    ] as const) {
      const { status, text } = await read(name, given)
      expect([name, status, text.split("\n").length]).toEqual([name, "error", 1])
      expect(text).toContain(name)
      expect(text).toContain("damaged PDF")
    }
    const locked = await read("locked.pdf", pdf(texts(1), { locked: true }))
    expect([locked.status, locked.text]).toEqual(["error", expect.stringContaining("password")])
  })

  test("mends what can be mended: a wrong table of places, a missing end", async () => {
    const whole = new TextDecoder("latin1").decode(pdf(texts(3)))
    const bytes = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0))
    const moved = whole.replace(/startxref\n\d+/, "startxref\n7")
    expect((await read("moved.pdf", bytes(moved))).text).toContain("text of 3")
    const open = whole.slice(0, whole.indexOf("startxref"))
    expect((await read("open.pdf", bytes(open))).text).toContain("text of 3")
  })

  test("of a hostile one ends in bounded time while the rest goes on", async () => {
    // A page tree that is its own child, and a page whose content never gets anywhere.
    const round = new TextDecoder("latin1").decode(pdf(texts(2))).replace("/Kids[4 0 R", "/Kids[2 0 R")
    const began = performance.now()
    let turns = 0
    const clock = setInterval(() => turns++, 50)
    const loop = await read("round.pdf", new TextEncoder().encode(round))
    const wide = await read("wide.pdf", pdf([Array.from({ length: 200_000 }, () => "x")]))
    clearInterval(clock)
    expect(loop.text.length).toBeGreaterThan(0)
    expect(["ok", "error"]).toContain(wide.status)
    expect(performance.now() - began).toBeLessThan(55_000)
    expect(turns).toBeGreaterThan(3)
  }, 60_000)
})
