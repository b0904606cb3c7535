import { describe, expect, test } from "bun:test"
import { ofRun } from "../../src/command/ExitCode.ts"

describe("ExitCode", () => {
  test("the end of a run decides the exit code", () => {
    expect(ofRun({ status: "completed", failure: null })).toBe(0)
    expect(ofRun({ status: "failed", failure: "provider" })).toBe(1)
    expect(ofRun({ status: "failed", failure: "unauthorized" })).toBe(41)
    expect(ofRun({ status: "limit", failure: null })).toBe(53)
    expect(ofRun({ status: "waiting_approval", failure: null })).toBe(58)
    expect(ofRun({ status: "cancelled", failure: null })).toBe(130)
  })
})
