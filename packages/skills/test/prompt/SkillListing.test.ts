import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { compare } from "../../src/discovery/CodePointOrder.ts"
import { type Skill, SkillListing, SkillPrompt, SkillSearch } from "../../src/index.ts"
import { skillOf } from "../SkillCardOf.ts"

const missing = { bins: ["nope"], anyBins: [], env: [], anyEnv: [] }

const one = fc.record({
  name: fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/),
  description: fc.oneof(
    fc.string({ minLength: 1, maxLength: 40 }),
    fc.string({ minLength: 500, maxLength: 1500 })
  ),
  source: fc.constantFrom("project", "user", "plugin", "builtin"),
  available: fc.boolean()
})
const many = fc
  .uniqueArray(one, { maxLength: 60, selector: ({ name }) => name })
  .map((all) =>
    all
      .map(({ available, description, name, source }) =>
        skillOf(name, description, { source, available, ...(available ? {} : { missing }) })
      )
      .sort((left, right) => compare(left.name, right.name))
  )
const names = (skills: ReadonlyArray<Skill>) => skills.map(({ name }) => name)
const listedIn = (text: string) => [...text.matchAll(/<name>([^<]*)<\/name>/g)].map(([, name]) => name ?? "")

describe("the room for skills in the prompt", () => {
  test("is a fiftieth of the model's context, and never below 8,000 characters", () => {
    expect([1_000, 64_000, 200_000].map(SkillListing.maxCharsOf)).toEqual([8_000, 8_000, 16_000])
  })

  test("is never exceeded, and every skill is listed or counted as found by the search tool", () => {
    fc.assert(
      fc.property(many, fc.integer({ min: 2_000, max: 20_000 }), (skills, maxChars) => {
        const text = SkillPrompt.render(skills, "read", { maxChars, searchTool: "search_skills" })
        expect(text.length).toBeLessThanOrEqual(maxChars)
        const { listed, unlisted } = SkillPrompt.listing(skills, "read", maxChars)
        expect([...names(listed), ...names(unlisted)].sort()).toEqual(names(skills).sort())
        expect(new Set(listedIn(text))).toEqual(new Set(names(listed)))
        const counted = /^(\d+) more skills? (?:is|are) not listed.*`search_skills`/m.exec(text)?.[1]
        expect(Number(counted ?? 0)).toBe(unlisted.length)
        for (const { name } of unlisted)
          expect(SkillSearch.search(name, skills).map(({ skill }) => skill.name)).toContain(name)
      }),
      { numRuns: 150 }
    )
  })

  test("goes first to what can be used, then to the more specific source, then by name; those listed stand by name", () => {
    fc.assert(
      fc.property(many, (skills) => {
        const { listed, unlisted } = SkillListing.choose(skills, 3_000)
        const sources = ["project", "user", "plugin", "builtin"]
        const worth = ({ available, name, source }: Skill) =>
          `${available ? 0 : 1}${sources.indexOf(source)}${name}`
        for (const kept of listed)
          for (const left of unlisted) expect(compare(worth(kept), worth(left))).toBeLessThan(0)
        for (const part of [listed, unlisted]) expect(names(part)).toEqual([...names(part)].sort(compare))
      })
    )
  })

  test("shortens descriptions before it leaves a skill out, and a shortened one ends in a sign of that", () => {
    const skills = Array.from({ length: 20 }, (_, at) =>
      skillOf(`s${String(at).padStart(2, "0")}`, "word ".repeat(200))
    )
    const text = SkillPrompt.render(skills, "read")
    expect(text.length).toBeLessThanOrEqual(8_000)
    expect(listedIn(text)).toHaveLength(20)
    expect(text.match(/…<\/description>/g)).toHaveLength(20)
    expect(text).not.toContain("not listed")
  })

  test("is not taken from the others by one skill with a name beyond all measure", () => {
    const others = Array.from({ length: 5 }, (_, at) => skillOf(`s${at}`, "word ".repeat(40)))
    for (const length of [600, 6_000, 20_000]) {
      const text = SkillPrompt.render([skillOf("n".repeat(length), "d"), ...others], "read")
      expect(text.length).toBeLessThanOrEqual(8_000)
      expect(listedIn(text).slice(-5)).toEqual(names(others))
      expect(text).not.toContain("…</description>")
      expect(text.includes("1 more skill is not listed")).toBe(length > 5_000)
    }
  })

  test("says how to see the rest where no search tool is on offer", () => {
    const skills = Array.from({ length: 300 }, (_, at) => skillOf(`s${at}`, "word ".repeat(30)))
    const text = SkillPrompt.render(skills, "read")
    expect(text).toMatch(/^\d+ more skills are not listed here for lack of room\. .*`cow skill list`/m)
  })
})
