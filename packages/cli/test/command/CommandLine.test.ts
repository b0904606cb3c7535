import { expect, test } from "bun:test"
import * as CommandLine from "../../src/command/CommandLine.ts"

const faultOf = (...args: ReadonlyArray<string>) => CommandLine.read(args).fault

test("a command that is promised and not built says so, whatever stands around it", () => {
  for (const args of [
    ["plugin"],
    ["plugin", "list", "--json"],
    ["--quiet", "plugin", "add", "x"],
    ["--workspace", "tools", "rule", "list"],
    ["help", "plugin"]
  ])
    expect(faultOf(...args)).toContain("is not in this version")
  expect(faultOf("tools", "eval", "--tools", "t.jsonl")).toBe(
    "cow: cow tools eval is not in this version (see cow --help)"
  )
})

test("the same words elsewhere are what they are", () => {
  for (const args of [
    ["run", "plugin"],
    ["tools", "explain", "eval"],
    ["skill", "info", "rule"],
    ["--workspace", "plugin", "run", "hi"],
    ["mcp", "add", "x", "--", "plugin"]
  ])
    expect(faultOf(...args)).toBeUndefined()
})
