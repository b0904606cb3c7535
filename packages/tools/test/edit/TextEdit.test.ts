import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import fc from "fast-check"
import * as JsonFault from "../../src/check/JsonFault.ts"
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

  test("a unified diff leads from the one text to the other", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 40 })
    const apply = (before: ReadonlyArray<string>, diff: string): ReadonlyArray<string> => {
      const out: Array<string> = []
      let at = 0
      for (const line of diff.split("\n").slice(2)) {
        const start = /^@@ -(\d+)/.exec(line)?.[1]
        if (start !== undefined) while (at < Number(start) - 1) out.push(before[at++] ?? "?")
        else if (line[0] === "+") out.push(line.slice(1))
        else {
          expect(before[at++]).toBe(line.slice(1))
          if (line[0] === " ") out.push(line.slice(1))
        }
      }
      return [...out, ...before.slice(at)]
    }
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { text: diff } = UnifiedDiff.diff(
          "f",
          before.map((line) => `${line}\n`).join(""),
          after.map((line) => `${line}\n`).join("")
        )
        expect(diff === "" ? before : apply(before, diff)).toEqual(after)
      })
    )
  })

  test("the place of a JSON fault is found exactly where the engine finds one", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      "1",
      "-0.5e3",
      "01",
      "true",
      "nul",
      " ",
      "\n",
      '"\\u12"'
    )
    const valid = (source: string): boolean => {
      try {
        JSON.parse(source)
        return true
      } catch {
        return false
      }
    }
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((parts) => parts.join("")),
        (source) => expect(JsonFault.find(source) === undefined).toBe(valid(source))
      ),
      { numRuns: 2000 }
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        expect(JsonFault.find(JSON.stringify(value, null, 1))).toBeUndefined()
      )
    )
  })
})
