import { describe, expect, test } from "bun:test"
import { ToolResult } from "@cow/core"
import * as RepetitionGuard from "../../src/call/RepetitionGuard.ts"

const ok = ToolResult.ok("same")
const failed = ToolResult.failed("no")

/** The verdicts before each of these calls, every result recorded after it; a refused call gets no result of its own. */
const verdicts = (
  calls: ReadonlyArray<
    readonly [tool: string, input: Parameters<typeof RepetitionGuard.verdict>[2], ToolResult.ToolResult]
  >
) => {
  let state = RepetitionGuard.initial
  return calls.map(([tool, input, result]) => {
    const { _tag } = RepetitionGuard.verdict(state, tool, input)
    if (_tag === "Run") state = RepetitionGuard.record(state, tool, input, result)
    if (_tag === "Refuse")
      state = RepetitionGuard.record(state, tool, input, ToolResult.failed("refused"), true)
    return _tag
  })
}

const times = <A>(count: number, make: (at: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, at) => make(at))

describe("repeated calls", () => {
  test("the same good result: five run, whatever the order of the keys, and the sixth is refused", () => {
    const calls = times(6, (at) => ["t", at % 2 === 0 ? { a: 1, b: [2] } : { b: [2], a: 1 }, ok] as const)
    expect(verdicts(calls)).toEqual(["Run", "Run", "Run", "Run", "Run", "Refuse"])
  })

  test("the same arguments failing: three run, the fourth is refused", () => {
    expect(verdicts(times(4, () => ["t", {}, failed] as const))).toEqual(["Run", "Run", "Run", "Refuse"])
  })

  test("other arguments failing: six run, two are refused, the ninth ends the run", () => {
    expect(verdicts(times(9, (at) => ["t", { at }, failed] as const))).toEqual([
      ...times(6, () => "Run" as const),
      "Refuse",
      "Refuse",
      "End"
    ])
  })

  test("another tool in between starts the counters again", () => {
    const same = times(5, () => ["t", {}, ok] as const)
    expect(verdicts([...same, ["other", {}, ok], ...same])).not.toContain("Refuse")
    const failing = times(6, (at) => ["t", { at }, failed] as const)
    expect(verdicts([...failing, ["other", {}, ok], ...failing])).not.toContain("Refuse")
  })

  test("a result that changes is polling, and is never refused", () => {
    expect(verdicts(times(20, (at) => ["t", {}, ToolResult.ok(`line ${at}`)] as const))).not.toContain(
      "Refuse"
    )
  })

  test("denied calls are not counted", () => {
    expect(verdicts(times(20, () => ["t", {}, ToolResult.denied("not_granted")] as const))).not.toContain(
      "Refuse"
    )
  })

  test("a call that timed out is not sent again, also after other tools, and counts as a failure", () => {
    const timeout = ToolResult.timeout("late")
    expect(
      verdicts([
        ["t", { a: 1 }, timeout],
        ["t", { a: 1 }, ok],
        ["other", {}, ok],
        ["t", { a: 1 }, ok],
        ["t", { a: 2 }, ok]
      ])
    ).toEqual(["Run", "Refuse", "Run", "Refuse", "Run"])
    expect(verdicts(times(9, (at) => ["t", { at }, timeout] as const)).at(-1)).toBe("End")
  })

  test("calls that cannot run count as failures of their tool, also after a good one", () => {
    let state = RepetitionGuard.record(RepetitionGuard.initial, "t", { a: 1 }, ok)
    for (let at = 0; at < 8; at++) state = RepetitionGuard.record(state, "t", {}, failed)
    expect(RepetitionGuard.verdict(state, "t", {})._tag).toBe("End")
  })
})

test("four replies in a row that were cut off end the run, a whole one in between does not", () => {
  const after = (...cut: ReadonlyArray<boolean>) =>
    RepetitionGuard.afterReply(cut.reduce(RepetitionGuard.reply, RepetitionGuard.initial))
  expect(after(true, true, true)).toBeUndefined()
  expect(after(true, true, true, false, true)).toBeUndefined()
  expect(after(true, true, true, true)).toContain("4 replies")
})
