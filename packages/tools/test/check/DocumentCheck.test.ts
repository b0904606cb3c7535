import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import * as DocumentCheck from "../../src/check/DocumentCheck.ts"

const fault = (file: string, text: string, before?: string) => DocumentCheck.dataFault(file, text, before)

describe("a data file", () => {
  test("that does not parse has a fault with its line", () => {
    expect(fault("a.json", '{\n  "a": 1,\n  "b": }\n')?.line).toBe(3)
    expect(fault("a.json", '{"a": 1,}')?.line).toBe(1)
    expect(fault("a.JSON", "[1,\n2\n")?.line).toBeGreaterThan(1)
    expect(fault("a.jsonc", '{ // why\n "a": }')?.line).toBe(2)
    expect(fault("a.yaml", "a: 1\nb: [1,\n")?.line).toBe(2)
    expect(fault("a.toml", 'a = 1\nb = "x\n')?.line).toBe(2)
  })

  test("may hold comments where its name or what it was allows them", () => {
    const text = '{ // why\n  "a": 1,\n}'
    expect(fault("a.json", text)?.line).toBe(1)
    for (const name of ["a.jsonc", "tsconfig.json", "x/tsconfig.build.json", ".vscode/settings.json"])
      expect([name, fault(name, text)]).toEqual([name, undefined])
    expect(fault("a.json", text, '{ /* was */ "b": 1 }')).toBeUndefined()
    expect(fault("a.json", text, '{"b": 1}')).toBeDefined()
  })

  test("that is blank, deep, large, a template or of another kind has none", () => {
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`
    const large = JSON.stringify(Array.from({ length: 100_000 }, (_, at) => ({ at })))
    for (const [name, text] of [
      ["a.json", " \n"],
      ["a.json", deep],
      ["a.json", large],
      ["a.yaml", "a: {{ b }}\nc: {% d %}"],
      ["a.yaml", "a: !mine {b: 1}"],
      ["a.md", "{"],
      ["json", "{"]
    ] as const)
      expect([name, fault(name, text)]).toEqual([name, undefined])
  })

  test("JSON that the engine takes, and only that, has no fault, and a fault has its line", () => {
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
        (source) => {
          const fault = DocumentCheck.dataFault("f.json", source)
          expect(fault === undefined).toBe(source.trim() === "" || valid(source))
          if (fault !== undefined) expect(fault.line).toBeGreaterThan(0)
        }
      ),
      { numRuns: 2000 }
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        expect(DocumentCheck.dataFault("f.json", JSON.stringify(value, null, 1))).toBeUndefined()
      )
    )
  })
})
