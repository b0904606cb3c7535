import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { NearNames } from "../../src/index.ts"

const { distance, hint, near } = NearNames
const word = fc.stringMatching(/^[a-c_]{0,8}$/)

describe("NearNames", () => {
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
    expect(near("agent_max_step", names)).toEqual(["agent_max_steps"])
    expect(near("colour", names)).toEqual([])
    expect(hint("providrs", names)).toBe('; did you mean "providers"?')
    expect(hint("zzz", names)).toBe("")
  })

  test("the same name in another spelling comes first, then one that holds it, then one that is nearly it", () => {
    expect(near("readFile", ["reed_file", "read_files", "read_file"])).toEqual([
      "read_file",
      "read_files",
      "reed_file"
    ])
  })

  test("a server's tool is found by the name it has there", () => {
    expect(near("reed", ["mcp__files__read", "mcp__files__write"])).toEqual(["mcp__files__read"])
  })

  test("short words are not mistaken for one another", () => {
    expect(near("ls", ["rm", "cat"])).toEqual([])
    expect(near("c", ["a", "b"])).toEqual([])
  })

  test("whatever the order of the names: some of them, three at most, none twice", () => {
    const names = fc.array(fc.oneof(word, fc.string({ unit: "binary", maxLength: 80 })), { maxLength: 12 })
    fc.assert(
      fc.property(word, names, (wanted, list) => {
        const found = near(wanted, list)
        expect(found.length).toBeLessThanOrEqual(3)
        expect(new Set(found).size).toBe(found.length)
        expect(list).toEqual(expect.arrayContaining([...found]))
        expect(near(wanted, list.toReversed())).toEqual(found)
      })
    )
  })
})
