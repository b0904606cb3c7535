import { expect, test } from "bun:test"
import { JsonValue } from "../../src/index.ts"

test("an object is neither null nor a list nor a scalar", () => {
  for (const value of [{}, { a: 1 }, JSON.parse('{"__proto__": 1}')])
    expect(JsonValue.isObject(value)).toBe(true)
  for (const value of [null, undefined, [], [{}], "{}", 1, true])
    expect(JsonValue.isObject(value)).toBe(false)
})
