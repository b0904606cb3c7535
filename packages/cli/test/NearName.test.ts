import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { distance, hint, nearest } from "../src/NearName.ts"

const word = fc.stringMatching(/^[a-c_]{0,8}$/)

describe("NearName", () => {
  test("the distance is 0 for the same word only, the same both ways, and never more than the longer word", () => {
    fc.assert(
      fc.property(word, word, (left, right) => {
        expect(distance(left, right) === 0).toBe(left === right)
        expect(distance(left, right)).toBe(distance(right, left))
        expect(distance(left, right)).toBeLessThanOrEqual(Math.max(left.length, right.length))
      })
    )
  })

  test("two letters in the wrong order are one mistake", () => {
    expect(distance("modle", "model")).toBe(1)
  })

  test("a near name is found and a far one is not", () => {
    const names = ["model", "providers", "agent_max_steps"]
    expect(nearest("agent_max_step", names)).toBe("agent_max_steps")
    expect(nearest("colour", names)).toBeUndefined()
    expect(hint("providrs", names)).toBe('; did you mean "providers"?')
    expect(hint("zzz", names)).toBe("")
  })
})
