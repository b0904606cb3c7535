import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { compare } from "../../src/discovery/CodePointOrder.ts"
import { type Candidate, settle } from "../../src/discovery/SkillPrecedence.ts"

const place = { project: 0, user: 1, plugin: 2, builtin: 3 } as const
const candidate = (name: string, source: Candidate["source"], more: Partial<Candidate> = {}): Candidate => ({
  name,
  source,
  path: `/${source}/${name}/SKILL.md`,
  trusted: true,
  root: place[source],
  ...more
})

describe("skills of one name", () => {
  test("project comes before user before plugin before builtin, and the losers are reported", () => {
    const all = (["builtin", "plugin", "user", "project"] as const).map((source) => candidate("x", source))
    const { winners, shadowed, diagnostics } = settle(all)
    expect(winners.map(({ source }) => source)).toEqual(["project"])
    expect(shadowed).toEqual(
      (["builtin", "plugin", "user"] as const).map((source) => ({
        name: "x",
        path: `/${source}/x/SKILL.md`,
        source,
        by: "/project/x/SKILL.md",
        reason: `project before ${source}`
      }))
    )
    expect(diagnostics).toEqual([])
  })

  test("an untrusted copy beats nobody", () => {
    const { winners, shadowed } = settle([
      candidate("x", "builtin"),
      candidate("x", "project", { trusted: false })
    ])
    expect(winners.map(({ source }) => source)).toEqual(["builtin"])
    expect(shadowed.map(({ reason }) => reason)).toEqual(["untrusted"])
  })

  test("twice in one root the path that sorts first wins, and a warning names both", () => {
    const [a, b] = ["/u/a/SKILL.md", "/u/b/SKILL.md"].map((path) => candidate("x", "user", { path }))
    const { winners, shadowed, diagnostics } = settle([b as Candidate, a as Candidate])
    expect(winners.map(({ path }) => path)).toEqual(["/u/a/SKILL.md"])
    expect(shadowed.map(({ reason }) => reason)).toEqual(["duplicate in user"])
    expect(diagnostics).toHaveLength(1)
    expect(`${diagnostics[0]?.path} ${diagnostics[0]?.message}`).toMatch(/\/u\/b.*\/u\/a/)
  })

  test("the order in which they are found makes no difference, and none is lost", () => {
    const one = fc.record({
      name: fc.constantFrom("a", "b", "c"),
      source: fc.constantFrom("project", "user", "plugin", "builtin"),
      path: fc.string({ minLength: 1, maxLength: 4 }),
      trusted: fc.boolean(),
      root: fc.nat(3)
    }) as fc.Arbitrary<Candidate>
    const set = fc.uniqueArray(one, { maxLength: 12, selector: ({ path }) => path })
    fc.assert(
      fc.property(set, fc.infiniteStream(fc.nat()), (candidates, keys) => {
        const shuffled = candidates
          .map((item) => ({ item, key: keys.next().value as number }))
          .sort((left, right) => left.key - right.key)
          .map(({ item }) => item)
        const settled = settle(candidates)
        const again = settle(shuffled)
        expect(again.winners).toEqual(settled.winners)
        expect(again.shadowed).toEqual(settled.shadowed)
        expect(settled.winners.length + settled.shadowed.length).toBe(candidates.length)
        expect(settled.winners.length).toBe(new Set(candidates.map(({ name }) => name)).size)
      })
    )
  })

  test("texts are ordered as their UTF-8 bytes are", () => {
    const text = fc.string({ unit: "binary", maxLength: 6 }).map((value) => value.toWellFormed())
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(Math.sign(compare(left, right))).toBe(
          Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right)))
        )
      })
    )
  })
})
