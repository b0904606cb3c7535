import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import fc from "fast-check"
import * as LineEnds from "../../src/edit/LineEnds.ts"
import * as LineGutter from "../../src/edit/LineGutter.ts"
import * as TextEdit from "../../src/edit/TextEdit.ts"
import * as UnifiedDiff from "../../src/edit/UnifiedDiff.ts"

const text = fc
  .array(fc.constantFrom("a", "b ", "\t", " ", "\n", "\r\n", "é", "{", "$&"), { maxLength: 30 })
  .map((parts) => parts.join(""))

describe("a text edit", () => {
  test("of one exact place gives the text before, the new text and the text after", () => {
    fc.assert(
      fc.property(text, text, text, (before, after, replacement) => {
        const raw = LineEnds.toUnix(`${before}<old>${after}`)
        const fresh = LineEnds.toUnix(replacement)
        const edited = TextEdit.apply(raw, { oldText: "<old>", newText: fresh, replaceAll: false })
        expect(Result.isSuccess(edited) && edited.success.text).toBe(raw.replace("<old>", () => fresh))
      })
    )
  })

  test("setting line ends aside and putting them back changes nothing", () => {
    fc.assert(fc.property(text, (raw) => expect(LineEnds.replace(LineEnds.parse(raw), [])).toBe(raw)))
  })

  test("numbered text is an echo, and taking the numbers off gives the text", () => {
    const lines = fc.array(fc.constantFrom("x", "y = 1", "|", "  z"), { minLength: 2, maxLength: 9 })
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 5000 }), (rows, from) => {
        const shown = rows.map((row, at) => `${from + at}|${row}`).join("\n")
        expect(LineGutter.isEcho(shown)).toBe(true)
        expect(LineGutter.strip(shown)).toBe(rows.join("\n"))
      })
    )
  })

  describe("as a unified diff", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 40 })
    /** Lines with their ends; the last may have none. */
    const split = (raw: string): ReadonlyArray<string> => raw.match(/[^\n]*\n|[^\n]+/g) ?? []
    const apply = (raw: string, diff: string): string => {
      const before = split(raw)
      const out: Array<string> = []
      let at = 0
      const rows = diff.split("\n").slice(2)
      rows.forEach((row, place) => {
        if (row.startsWith("\\")) return
        const [, start, count] = /^@@ -(\d+),(\d+)/.exec(row) ?? []
        const line = row.slice(1) + (rows[place + 1]?.startsWith("\\") ? "" : "\n")
        // Of no lines the one before is named.
        if (start !== undefined)
          while (at < Number(start) - (count === "0" ? 0 : 1)) out.push(before[at++] ?? "?")
        else if (row[0] === "+") out.push(line)
        else {
          expect(before[at++]).toBe(line)
          if (row[0] === " ") out.push(line)
        }
      })
      return [...out, ...before.slice(at)].join("")
    }
    const raw = fc.tuple(lines, fc.boolean()).map(([rows, end]) => rows.join("\n") + (end ? "\n" : ""))

    test("leads from the one text to the other, ends of the last lines and all", () => {
      fc.assert(
        fc.property(raw, raw, (before, after) => {
          const { firstChangedLine, text: diff } = UnifiedDiff.diff("f", before, after)
          expect(diff === "" ? before : apply(before, diff)).toBe(after)
          const first = split(after).findIndex((line, at) => line !== split(before)[at])
          if (first >= 0) expect(firstChangedLine).toBeLessThanOrEqual(first + 1)
          expect(firstChangedLine === 0).toBe(before === after)
        })
      )
    })

    test("of texts that differ everywhere is one block, found in bounded time", () => {
      const many = (count: number, name: string) =>
        Array.from({ length: count }, (_, at) => `${name} ${at}\n`).join("")
      const [before, after] = [`one\n${many(100_000, "a")}two\n`, `one\n${many(100_000, "b")}two`]
      const began = performance.now()
      const { firstChangedLine, text: diff } = UnifiedDiff.diff("f", before, after)
      expect(performance.now() - began).toBeLessThan(10_000)
      expect([diff.match(/^@@/gm)?.length, firstChangedLine]).toEqual([1, 2])
      expect(apply(before, diff)).toBe(after)
      expect(apply(many(5000, "x"), UnifiedDiff.diff("f", many(5000, "x"), many(9000, "x")).text)).toBe(
        many(9000, "x")
      )
    })
  })

  test("of long texts with other blanks ends in bounded time", () => {
    const block = (name: string) => Array.from({ length: 20_000 }, (_, at) => `  ${name} ${at}`).join("\n")
    const began = performance.now()
    const request = { oldText: block("a").replaceAll("  a", "a"), newText: block("b"), replaceAll: false }
    expect(Result.isSuccess(TextEdit.apply(`${block("a")}\n`, request))).toBe(true)
    const blanks = { oldText: "\n\n  x  y", newText: "z", replaceAll: false }
    expect(Result.isFailure(TextEdit.apply(`a\n${" ".repeat(500_000)}b`, blanks))).toBe(true)
    const lines = Array.from(
      { length: 500_000 },
      (_, at) => `const value${at} = compute(${at}, "some words")`
    )
    const lost = TextEdit.apply(lines.join("\n"), {
      oldText: "const value7 = compute(8)",
      newText: "",
      replaceAll: false
    })
    expect(Result.isFailure(lost) && lost.failure).toMatchObject({ _tag: "NotFound", nearest: { line: 8 } })
    expect(performance.now() - began).toBeLessThan(40_000)
  })
})
