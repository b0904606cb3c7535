import { describe, expect, test } from "bun:test"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as SwitchTable from "../../src/switches/SwitchTable.ts"

const decode = (text: string) => Result.getOrThrow(SwitchTable.decode(text))
const scanned = (name: string, more: Partial<SwitchTable.Scanned> = {}): SwitchTable.Scanned => ({
  name,
  description: "new",
  source: "user",
  defaultEnabled: true,
  ...more
})
const entry = (name: string, enabled: boolean, more: object = {}) => ({
  [name]: { name, description: "old", source: "builtin", enabled, category: "skill", ...more }
})
const all = new Set(["builtin", "user"])

describe("the table of switches", () => {
  test("a new skill enters with its default", () => {
    const next = SwitchTable.reconcile(
      new Map(),
      [scanned("a"), scanned("b", { defaultEnabled: false })],
      all
    )
    expect(next.get("a")).toEqual({
      name: "a",
      description: "new",
      source: "user",
      enabled: true,
      category: "skill"
    })
    expect(next.get("b")?.enabled).toBe(false)
  })

  test("a known skill keeps the user's choice and takes description and source from the scan", () => {
    const { table } = decode(
      JSON.stringify({
        ...entry("off", false, { display_name: "AA", category: "x", z: 1 }),
        ...entry("on", true)
      })
    )
    const next = SwitchTable.reconcile(table, [scanned("off"), scanned("on", { defaultEnabled: false })], all)
    expect(next.get("off")).toEqual({
      name: "off",
      description: "new",
      source: "user",
      enabled: false,
      category: "x",
      display_name: "AA",
      z: 1
    })
    expect(next.get("on")?.enabled).toBe(true)
  })

  test("an entry leaves only when its source was read whole and has no such skill", () => {
    const { table } = decode(
      JSON.stringify({ ...entry("gone", true), ...entry("other", false, { source: "project" }) })
    )
    expect([...SwitchTable.reconcile(table, [], all).keys()]).toEqual(["other"])
    expect([...SwitchTable.reconcile(table, [], new Set(["user"])).keys()]).toEqual(["gone", "other"])
  })

  test("entries that are no switch count as absent and nothing is polluted", () => {
    const text =
      '{"a": true, "b": null, "__proto__": {"enabled": false}, "constructor": {"enabled": false}, "c": {"enabled": false}}'
    const { table, refused } = decode(text)
    expect([...table.keys()]).toEqual(["c"])
    expect([...refused].sort()).toEqual(["__proto__", "a", "b", "constructor"])
    expect(({} as { enabled?: boolean }).enabled).toBeUndefined()
    expect(Result.isFailure(SwitchTable.decode("[]"))).toBe(true)
    expect(Result.isFailure(SwitchTable.decode('{"a": '))).toBe(true)
  })

  test("what is written reads back the same, and a second scan changes nothing", () => {
    const name = fc.stringMatching(/^[a-z0-9é知-]{1,8}$/)
    const skills = fc.uniqueArray(
      fc.record({ name, description: fc.string(), defaultEnabled: fc.boolean() }),
      {
        selector: (one) => one.name.normalize("NFKC")
      }
    )
    fc.assert(
      fc.property(skills, (found) => {
        const scan = found.map((one) =>
          scanned(one.name.normalize("NFKC"), { ...one, name: one.name.normalize("NFKC") })
        )
        const once = SwitchTable.reconcile(new Map(), scan, all)
        const text = SwitchTable.encode(once)
        const back = decode(text).table
        expect(SwitchTable.encode(back)).toBe(text)
        expect(SwitchTable.encode(SwitchTable.reconcile(back, scan, all))).toBe(text)
      })
    )
  })
})
