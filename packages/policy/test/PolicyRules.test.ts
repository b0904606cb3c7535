import { describe, expect, test } from "bun:test"
import { Audience } from "@cow/core"
import * as fc from "fast-check"
import { Grants, PolicyRules } from "../src/index.ts"
import { builtin, mcp, registeredBuiltin, registeredMcp } from "./Fixtures.ts"

const row = (persona: string, capability: string, allowed: boolean): PolicyRules.PolicyRow => ({
  persona,
  capability,
  allowed
})
const fs = (name: string) => PolicyRules.capabilitiesOf(registeredMcp(mcp("fs", name, true)))
const own = (name: string) => PolicyRules.capabilitiesOf(registeredBuiltin(builtin(name)))

describe("evaluate", () => {
  test("without rows the class of the tool decides", () => {
    expect(PolicyRules.evaluate([], "p1", own("read"), true)).toEqual({ allowed: true, row: null })
    expect(PolicyRules.evaluate([], "p1", fs("read"), false)).toEqual({ allowed: false, row: null })
  })

  test("a persona's own row for the very tool beats the server's", () => {
    const rows = [row("*", "mcp/fs/*", true), row("p1", "mcp/fs/delete", false)]
    expect(PolicyRules.evaluate(rows, "p1", fs("delete"), false).allowed).toBe(false)
    expect(PolicyRules.evaluate(rows, "p1", fs("read"), false).allowed).toBe(true)
    expect(PolicyRules.evaluate(rows, "p2", fs("delete"), false).allowed).toBe(true)
  })

  test("between a persona's wildcard and everyone's exact row, false wins", () => {
    const closed = [row("p1", "builtin/*", false), row("*", "builtin/read", true)]
    expect(PolicyRules.evaluate(closed, "p1", own("read"), true).allowed).toBe(false)
    expect(PolicyRules.evaluate(closed, "p2", own("read"), true).allowed).toBe(true)
    const mixed = [row("p1", "builtin/*", true), row("*", "builtin/bash", false)]
    expect(PolicyRules.evaluate(mixed, "p1", own("bash"), true).allowed).toBe(false)
    const opened = [...mixed, row("p1", "builtin/bash", true)]
    expect(PolicyRules.evaluate(opened, "p1", own("bash"), true).allowed).toBe(true)
  })

  test("names that look like structure are percent-encoded", () => {
    expect(PolicyRules.serverCapability("a/b")).toBe("mcp/a%2Fb/*")
    expect(PolicyRules.capabilitiesOf(registeredMcp(mcp("100%", "*", true))).exact).toBe("mcp/100%25/%2A")
  })

  test("narrowing an audience never allows a call that was not", () => {
    const persona = fc.constantFrom("p1", "p2", "p3")
    const exact = fc.record({
      persona: fc.constantFrom("*", "p1", "p2", "p3"),
      capability: fc.constantFrom("mcp/fs/read", "mcp/fs/delete"),
      allowed: fc.boolean()
    })
    fc.assert(
      fc.property(fc.array(exact), fc.array(persona), persona, persona, (rows, ids, gone, asking) => {
        const wide = Audience.only(ids)
        const narrow = Audience.only(ids.filter((id) => id !== gone))
        for (const [before, after] of [
          [Audience.everyone, wide],
          [wide, narrow]
        ] as const) {
          const allowed = (audience: Audience.Audience) =>
            Audience.includes(audience, asking) &&
            PolicyRules.evaluate(Grants.sync("fs", audience, rows), asking, fs("delete"), false).allowed
          if (!allowed(before)) expect(allowed(after)).toBe(false)
        }
      })
    )
  })
})
