import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { nameAdvice, nameProblems, nearestName } from "../../src/author/NameRules.ts"

test("the nearest name is told where there is one", () => {
  for (const [given, near] of [
    ["Bad Name", "bad-name"],
    ["my_skill", "my-skill"],
    ["-a--b-", "a-b"],
    ["../escaped", "escaped"],
    ["Größe & 知识库", "größe-知识库"],
    ["a".repeat(70), "a".repeat(64)],
    [`${"a".repeat(63)}-bcd`, "a".repeat(63)],
    ["!!!", undefined],
    ["", undefined]
  ] as const)
    expect(nearestName(given)).toBe(near)
  expect(nameAdvice("Bad")).toEqual(['the name "Bad" must be lower case', '"bad" would be allowed'])
  expect(nameAdvice("good")).toEqual([])
  expect(nameAdvice(["a"])).toEqual(["the name is empty or no text"])
})

test("whatever is given, the nearest name has no problem, and a good name is its own", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (given) => {
      const near = nearestName(given)
      if (near !== undefined) expect(nameProblems(near)).toEqual([])
      if (nameProblems(given).length === 0) expect(near).toBe(given.trim().normalize("NFKC"))
    }),
    { numRuns: 500 }
  )
})
