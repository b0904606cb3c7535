import { describe, expect, test } from "bun:test"
import { Audience } from "@cow/core"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { Grants, type PolicyRules } from "../src/index.ts"

const all = ["p1", "p2", "p3"]
const next = (current: ReadonlyArray<string>, persona: string, on: boolean, everyone = all) => {
  const result = Grants.nextAllowed(current, persona, on, everyone)
  return Result.isSuccess(result) ? [...result.success] : result.failure._tag
}

describe("nextAllowed", () => {
  test.each([
    [82, [], "*", true, ["*"]],
    [83, ["p1", "p2"], "*", true, ["*"]],
    [84, ["*"], "*", false, []],
    [85, ["p1"], "*", false, []],
    [86, ["*"], "p1", true, ["*"]],
    [87, ["*"], "p2", false, ["p1", "p3"]],
    [89, [], "p2", true, ["p2"]],
    [90, ["p2"], "p1", true, ["p1", "p2"]],
    [91, ["p1", "p2"], "p1", false, ["p2"]],
    [92, ["*", "p1"], "p1", false, ["p2", "p3"]],
    [92, ["*", "p1"], "p2", true, ["*"]],
    [93, [" p1 ", ""], " p2 ", true, ["p1", "p2"]]
  ])("row %i: %j with %s switched %j is %j", (_, current, persona, on, expected) => {
    expect(next(current, persona, on)).toEqual(expected)
  })

  test("taking the only persona out of everyone leaves nobody", () => {
    expect(next(["*"], "p1", false, ["p1"])).toEqual([])
  })

  test("the same switch again changes nothing", () => {
    expect(next(["p1", "p2"], "p1", true)).toEqual(["p1", "p2"])
    expect(next(["p2"], "p1", false)).toEqual(["p2"])
  })

  test("an unknown or blank persona is an error, and one that stands in the list can still be taken out", () => {
    expect(next(["*"], "p9", false)).toBe("UnknownPersona")
    expect(next(["*"], "p9", true)).toBe("UnknownPersona")
    expect(next(["p1"], "p9", true)).toBe("UnknownPersona")
    expect(next(["p1"], " ", true)).toBe("UnknownPersona")
    expect(next(["p1", "p9"], "p9", false)).toEqual(["p1"])
  })

  test("a persona made after everyone became a list is not in it, and is once everyone is switched on", () => {
    const list = next(["*"], "p2", false) as Array<string>
    expect(Audience.includes(Audience.fromIds(list), "p4")).toBe(false)
    expect(Audience.includes(Audience.fromIds(next(list, "*", true)), "p4")).toBe(true)
  })

  test("the result is everyone alone, or sorted names without doubles, blanks or a star", () => {
    const id = fc.oneof(fc.constantFrom("*", "", " ", "p1", " p2 ", "p3", "p9"), fc.string())
    fc.assert(
      fc.property(fc.array(id), id, fc.boolean(), fc.array(id), (current, persona, on, everyone) => {
        const list = next(current, persona, on, everyone)
        if (list === "UnknownPersona") return
        expect(Array.isArray(list)).toBe(true)
        if ((list as Array<string>).includes("*")) expect(list).toEqual(["*"])
        else {
          expect(list).toEqual([...new Set(list)].sort())
          for (const one of list) expect(one.trim()).toBe(one)
          expect(list).not.toContain("")
        }
      })
    )
  })
})

describe("sync", () => {
  const row = (persona: string, allowed = true, capability = "mcp/fs/*"): PolicyRules.PolicyRow => ({
    persona,
    capability,
    allowed
  })
  test.each([
    [98, [], Audience.everyone, [row("*")]],
    [98, [row("p1"), row("p2", false)], Audience.everyone, [row("*")]],
    [99, [row("*")], Audience.only(["p1"]), [row("p1")]],
    [99, [row("*")], Audience.only([]), []],
    [100, [row("p1"), row("p2")], Audience.only(["p2"]), [row("p2")]],
    [100, [row("p1", false)], Audience.only(["p1"]), [row("p1")]]
  ])("row %i: rows follow the audience", (_, rows, audience, expected) => {
    expect(Grants.sync("fs", audience, rows)).toEqual(expected)
  })

  test("rows of other servers and of single tools stay as they are", () => {
    const others = [
      row("p1", false, "mcp/fs/delete"),
      row("*", true, "mcp/web/*"),
      row("p1", true, "builtin/*")
    ]
    expect(Grants.sync("fs", Audience.only([]), others)).toEqual(others)
  })

  test("once is as good as twice, never a star beside names, and exactly the audience is in", () => {
    const persona = fc.constantFrom("*", "p1", "p2", "p3")
    const rows = fc.array(
      fc.record({
        persona,
        capability: fc.constantFrom("mcp/fs/*", "mcp/fs/read", "mcp/web/*"),
        allowed: fc.boolean()
      })
    )
    fc.assert(
      fc.property(rows, fc.array(persona), (before, ids) => {
        const audience = Audience.fromIds(ids)
        const once = Grants.sync("fs", audience, before)
        expect(Grants.sync("fs", audience, once)).toEqual(once)
        const mine = once.filter(({ capability }) => capability === "mcp/fs/*")
        expect(mine.map((one) => one.persona)).toEqual([...Audience.toIds(audience)])
        expect(mine.every(({ allowed }) => allowed)).toBe(true)
      })
    )
  })
})
