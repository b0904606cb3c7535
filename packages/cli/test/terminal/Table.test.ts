import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import * as Table from "../../src/terminal/Table.ts"

describe("a table", () => {
  test("has its columns under one another when names are wide", () => {
    const rows = [
      ["代码审查", "user", "审查代码"],
      ["tea", "builtin", "Makes tea."]
    ]
    expect(Table.render(["NAME", "SOURCE", "DESCRIPTION"], rows)).toBe(
      [
        "NAME      SOURCE   DESCRIPTION",
        "代码审查  user     审查代码",
        "tea       builtin  Makes tea.",
        ""
      ].join("\n")
    )
  })

  test("cuts a long cell between characters, and says so", () => {
    expect(Table.cut("short", 10)).toBe("short")
    expect(Table.cut("a longer\ntext than that", 10)).toBe("a longer…")
    expect(Table.cut("知识库整理工具", 10)).toBe("知识库整…")
    expect(Table.cut("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 5)).toBe("👩‍👩‍👧‍👦👩‍👩‍👧‍👦…")
    expect(Table.cut("a\u001b[31mb", 40)).not.toContain("\u001b")
  })

  test("never lets a cut cell be wider than asked for", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 60 }),
        fc.integer({ min: 3, max: 30 }),
        (text, cells) => {
          expect(Table.width(Table.cut(text, cells))).toBeLessThanOrEqual(cells)
        }
      ),
      { numRuns: 500 }
    )
  })
})
