// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as they stand in configuration files
import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Variables } from "../../src/index.ts"

const values: Record<string, string> = { A: "one", EMPTY: "", PRICE: "$& $1 ${A}" }
const expand = (template: string) => Variables.expand(template, (name) => values[name])

describe("Variables", () => {
  for (const [template, expected] of [
    ["${A}", "one"],
    ["x${env:A}y${A}", "xoneyone"],
    ["${EMPTY}", ""],
    ["${EMPTY:-d}", "d"],
    ["${NONE:-a b}", "a b"],
    ["${NONE:-}", ""],
    ["$A $$ ${ ${A", "$A $$ ${ ${A"],
    ["${PRICE}", "$& $1 ${A}"],
    ["${1A} ${a-b}", "${1A} ${a-b}"]
  ] as const)
    test(`${template} becomes ${JSON.stringify(expected)}`, () => {
      expect(expand(template)).toMatchObject({ text: expected, missing: [] })
    })

  test("those that are not set are told by name, once, and what the others hold is told as it may be secret", () => {
    expect(expand("${A}-${NONE}${OTHER}${NONE}${NONE:-d}")).toEqual({
      text: "one-d",
      values: ["one"],
      missing: ["NONE", "OTHER"]
    })
  })

  test("a text without a dollar sign stays as it is", () => {
    fc.assert(
      fc.property(
        fc.string().filter((value) => !value.includes("$")),
        (value) => {
          expect(expand(value)).toEqual({ text: value, values: [], missing: [] })
          expect(Variables.has(value)).toBe(false)
        }
      )
    )
    expect(Variables.has("a ${A}")).toBe(true)
  })
})
