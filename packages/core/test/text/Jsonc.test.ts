import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { Jsonc } from "../../src/index.ts"

const valueOf = (text: string) => Result.getOrThrow(Jsonc.parse(text)).value
const faultOf = (text: string) => Result.getOrThrow(Result.flip(Jsonc.parse(text)))

/** The value `JSON.parse` gives, or undefined where it refuses. */
const strictly = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

describe("Jsonc", () => {
  test("whatever JSON.stringify writes is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, "\t"), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent)
        expect(valueOf(text)).toEqual(JSON.parse(text))
      })
    )
  })

  test("texts of JSON's own characters are taken exactly when JSON.parse takes them, commas and comments aside", () => {
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"a"',
      '"\\n"',
      '"',
      "1",
      "-0.5e3",
      "01",
      "true",
      "nul",
      "null",
      " ",
      "\n",
      "\\"
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (parts) => {
        const text = parts.join("")
        const mine = Jsonc.parse(text)
        const strict = strictly(text)
        if (strict !== undefined) expect(Result.getOrThrow(mine).value).toEqual(strict.value as never)
        else if (Result.isSuccess(mine)) expect(text.trim() === "" || /,\s*[}\]]/.test(text)).toBe(true)
      }),
      { numRuns: 3_000 }
    )
  })

  test("every beginning of a document but the empty one is refused", () => {
    const text = '{"a": [1, "x\\n", {"b": null}], "c": -1.5e3}'
    for (let size = 1; size < text.length; size++)
      expect(Result.isFailure(Jsonc.parse(text.slice(0, size)))).toBe(true)
  })

  test("comments and trailing commas anywhere between the parts change nothing", () => {
    const gap = fc.constantFrom("", " ", "\n", "// note\n", "/* a, b } ] */", '\t// "x": 1\r\n')
    fc.assert(
      fc.property(fc.array(gap, { minLength: 8, maxLength: 8 }), (gaps) => {
        const [a, b, c, d, e, f, g, h] = gaps
        expect(valueOf(`${a}{${b}"k"${c}:${d}[1,${e}"//no",${f}]${g},}${h}`)).toEqual({ k: [1, "//no"] })
      })
    )
  })

  test("an empty file and one with comments only are an empty object, a byte order mark is skipped", () => {
    for (const text of ["", " \n", "// nothing yet", "/* a */\n"]) expect(valueOf(text)).toEqual({})
    expect(valueOf('\uFEFF{"model": "offline/cow"}')).toEqual({ model: "offline/cow" })
  })

  test("a fault names line, column and the key it stands at", () => {
    expect(faultOf('{\n  "model": "x",\n  "agent_max_steps": ,\n}')).toMatchObject({
      line: 3,
      column: 22,
      path: ["agent_max_steps"]
    })
    expect(faultOf('{"model": "offline/cow", "mcp_serv')).toMatchObject({ line: 1, column: 26 })
    expect(faultOf('\uFEFF{"a" 1}')).toMatchObject({ line: 1, column: 6 })
    expect(faultOf('{"a": 1} x').message).toContain("end of the file")
    expect(faultOf("{/* open").message).toContain("not closed")
    expect(faultOf('{"a": [1,\n "\\x"]}')).toMatchObject({ line: 2, column: 2, path: ["a", "1"] })
  })

  test("a fault says what stands there and what should", () => {
    const said = (text: string) => faultOf(text).message
    expect(said('{"a": 1 "b": 2}')).toBe('"\\"" where , or } should stand')
    expect(said('{"a": tru}')).toBe('"t" where a value should stand')
    expect(said("{a: 1}")).toBe('"a" where a key in double quotes or } should stand')
    expect(said('{"a": [1')).toBe("the file ends where , or ] is missing")
    expect(said('{"a": "x\ty"}')).toContain("control character")
    expect(said('{"a": 1.}')).toContain("number")
    expect(said('{"a"\u0007: 1}')).toBe("the character U+0007 where : should stand")
  })

  test("a blank that does not break counts as a blank", () => {
    expect(valueOf('{\n\u00a0\u00a0"a": 1\n}')).toEqual({ a: 1 })
  })

  test("the strict form takes what JSON.parse takes and nothing else", () => {
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"a"',
      '"',
      "1",
      "01",
      "true",
      "null",
      " ",
      "\u00a0",
      "//",
      "/*",
      "*/",
      "\n"
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (parts) => {
        const text = parts.join("")
        const strict = strictly(text)
        expect(Result.isSuccess(Jsonc.parseStrict(text))).toBe(strict !== undefined)
        if (strict !== undefined)
          expect(Result.getOrThrow(Jsonc.parseStrict(text)).value).toEqual(strict.value as never)
      }),
      { numRuns: 3_000 }
    )
    for (const text of ["", "{} // x", '{"a": 1,}', "[1,]"])
      expect(Result.isFailure(Jsonc.parseStrict(text))).toBe(true)
  })

  test("no text of any kind makes it throw", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void Jsonc.parse(text)))
    expect(faultOf("[".repeat(100_000)).message).toContain("nested deeper")
  })

  test("of a key that stands twice the last counts and the place of the second is told", () => {
    const document = Result.getOrThrow(Jsonc.parse('{"a": {"b": 1,\n"b": 2}}'))
    expect(document.value).toEqual({ a: { b: 2 } })
    expect(document.duplicates).toEqual([{ path: ["a", "b"], line: 2, column: 1 }])
  })

  test("a key named __proto__ is a key like any other", () => {
    expect(Object.keys(valueOf('{"__proto__": {"x": 1}}') as object)).toEqual(["__proto__"])
  })
})
