import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import * as FormField from "../../src/chat/FormField.ts"

const field = (given: object, required = true) => {
  const [one] = FormField.ofForm({
    type: "object",
    properties: { f: given },
    required: required ? ["f"] : []
  } as never)
  if (one === undefined) throw new Error("no field")
  return one
}

describe("a line typed for a field", () => {
  for (const [given, line, value] of [
    [{ type: "string" }, " Rosa ", "Rosa"],
    [{ type: "string", format: "email" }, "a@b.org", "a@b.org"],
    [{ type: "string", format: "date" }, "2026-12-31", "2026-12-31"],
    [{ type: "string", maxLength: 2 }, "🐄🐄", "🐄🐄"],
    [{ type: "number", minimum: 0 }, "2.5", 2.5],
    [{ type: "integer" }, "-3", -3],
    [{ type: "boolean" }, "Yes", true],
    [{ type: "boolean" }, "n", false],
    [{ type: "string", enum: ["a", "b"] }, "b", "b"],
    [{ type: "string", enum: ["a", "b"], enumNames: ["Apple", "Berry"] }, "berry", "b"],
    [{ type: "string", enum: ["a", "b"] }, "2", "b"],
    [{ type: "string", enum: ["2", "1"] }, "2", "2"],
    [{ type: "string", oneOf: [{ const: "r", title: "Red" }] }, "Red", "r"],
    [{ type: "array", items: { type: "string", enum: ["a", "b", "c"] } }, "c, 1, c", ["c", "a"]],
    [{ type: "array", items: { anyOf: [{ const: "r", title: "Red" }] } }, "red", ["r"]],
    [{ type: "string", default: "x" }, "", undefined]
  ] as const)
    test(`of ${JSON.stringify(given)}: ${JSON.stringify(line)} is ${JSON.stringify(value)}`, () => {
      expect(FormField.parse(field(given), line)).toEqual(Result.succeed(value as never))
    })

  for (const [given, line, told] of [
    [{ type: "string" }, "", "needed"],
    [{ type: "string", minLength: 3 }, "ab", "at least 3"],
    [{ type: "string", pattern: "^a+$" }, "b", "match"],
    [{ type: "string", format: "email" }, "nobody", "e-mail"],
    [{ type: "string", format: "date" }, "2026-13-41", "a date"],
    [{ type: "string", format: "uri" }, "here", "address"],
    [{ type: "number" }, "many", "a number"],
    [{ type: "integer" }, "1.5", "whole"],
    [{ type: "integer", maximum: 9 }, "10", "at most 9"],
    [{ type: "boolean" }, "perhaps", "yes or no"],
    [{ type: "string", enum: ["a", "b"] }, "3", "1 to 2"],
    [{ type: "array", items: { enum: ["a", "b"] }, minItems: 2 }, "a", "at least 2"],
    [{ type: "array", items: { enum: ["a", "b"] } }, "a, z", '"z"']
  ] as const)
    test(`of ${JSON.stringify(given)}: ${JSON.stringify(line)} is refused with what is wrong`, () => {
      const value = FormField.parse(field(given), line)
      expect(Result.isFailure(value) && value.failure).toContain(told)
    })

  test("may be empty where the field may be left out", () => {
    expect(FormField.parse(field({ type: "integer" }, false), "")).toEqual(Result.succeed(undefined))
  })
})

test("a field is put with its title, description, choices and what an empty line means", () => {
  const given = {
    type: "string",
    title: "Colour",
    description: "Of the cow",
    enum: ["b", "w"],
    enumNames: ["Brown", "White"],
    default: "w"
  }
  expect(FormField.question(field(given))).toEqual([
    "  Of the cow",
    "  1) Brown",
    "  2) White",
    "  Colour (one of them; empty: White)"
  ])
  expect(FormField.question(field({ type: "integer", minimum: 1 }, true)).at(-1)).toBe(
    "  f (a whole number, at least 1; needed)"
  )
})

test("what looks like a secret is known, and what only sounds like one is not", () => {
  const named = (name: string, given: object = { type: "string" }) => {
    const [one] = FormField.ofForm({ properties: { [name]: given } } as never)
    return one !== undefined && FormField.asksForSecret(one)
  }
  for (const name of ["password", "apiKey", "api_key", "clientSecret", "token", "accessToken", "PIN"])
    expect([name, named(name)]).toEqual([name, true])
  for (const name of ["name", "max_tokens", "shopping", "keyboard"])
    expect([name, named(name)]).toEqual([name, false])
  expect(named("x", { type: "string", format: "password" })).toBe(true)
})
