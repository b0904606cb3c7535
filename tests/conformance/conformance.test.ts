/** Holds Cow as an MCP client to the scenarios of the protocol's authors, at both revisions. */
import { describe, expect, test } from "bun:test"
import * as Scenario from "./Scenario.ts"

const atOnce = 4
const millis = 240_000

describe("the scenarios of the protocol's authors", () => {
  for (const [revision, count] of [
    ["2025-11-25", 18],
    ["2026-07-28", 32]
  ] as const)
    test(
      `that ${revision} requires of a client all pass`,
      async () => {
        const outcomes = await Scenario.runAll(revision, atOnce)
        expect(outcomes.filter(({ faults }) => faults.length > 0)).toEqual([])
        expect(outcomes.length).toBe(count)
      },
      millis
    )
})
