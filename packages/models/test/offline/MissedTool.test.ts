import { describe, expect, test } from "bun:test"
import * as OfflineModel from "../../src/OfflineModel.ts"
import * as Match from "../../src/offline/Match.ts"
import * as Planner from "../../src/offline/Planner.ts"
import { ask, builtins, echo } from "./Fixture.ts"

const misses = OfflineModel.model.misses ?? (() => undefined)

describe("a tool that a message calls for by name", () => {
  const named: ReadonlyArray<readonly [string, string | undefined]> = [
    ["use the echo tool with message=hello", "echo"],
    ["please call the `get-weather` tool", "get-weather"],
    ["use tool echo", "echo"],
    ["mcp__demo__echo message=hi", "mcp__demo__echo"],
    ["用 echo 工具说 hi", "echo"],
    ["hello", undefined],
    ["use a tool", undefined],
    ["which tool do you use?", undefined],
    ["use the right tool for this", undefined],
    ["list the files here", undefined]
  ]
  for (const [message, name] of named)
    test(`in "${message}" is ${name ?? "none"}`, () => expect(Match.calledName(message)).toBe(name))

  test("is missed while nobody brings it, and not when somebody does", () => {
    const message = "use the echo tool with message=hello"
    expect(misses(message, builtins)).toBe(true)
    expect(misses(message, [...builtins, echo("message")])).toBe(false)
    expect(misses("hello", builtins)).toBe(false)
  })

  test("and that is not there is told, with those that are", () => {
    const plan = Planner.plan(ask("use the echo tool with message=hello", builtins))
    expect(plan._tag).toBe("Say")
    expect(plan.text).toContain('no tool "echo"')
    expect(plan.text).toContain("search_files")
  })
})
