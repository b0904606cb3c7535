/** Files that want to be more than a skill, or to stop the others from loading. */
import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { SkillLibrary, SkillPrompt } from "../../src/index.ts"
import { type SkillHome, skillText, withHome } from "../SkillHome.ts"

const list = (home: SkillHome) => Effect.flatMap(SkillLibrary, (library) => library.list(home.workspace))

describe("a file of another's making", () => {
  test("hostile frontmatter costs only itself, in under a second: 2 MB, 300 levels, thousands of aliases", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const levels = "[".repeat(300) + "]".repeat(300)
        const maps = Array.from({ length: 200 }, (_, at) => `${" ".repeat(at + 1)}k:`).join("\n")
        const aliases = Array.from({ length: 3000 }, (_, at) => `k${at}: *a`).join("\n")
        const hostile = {
          big: `x: ${"x".repeat(2e6)}`,
          levels: `metadata: ${levels}`,
          maps: `metadata:\n${maps}`,
          aliases: `x: &a [1]\n${aliases}`,
          laughs: `a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nmetadata: [*c, *c]`
        }
        yield* home.write("cow/skills/good/SKILL.md", skillText("good", "d"))
        // The parser is loaded once for the process.
        yield* home.write("cow/skills/first/SKILL.md", skillText("first", "d", "x: {}\n"))
        yield* list(home)
        for (const [name, block] of Object.entries(hostile))
          yield* home.write(`cow/skills/${name}/SKILL.md`, skillText(name, "d", `${block}\n`))
        const before = performance.now()
        const { skills, diagnostics } = yield* list(home)
        expect(performance.now() - before).toBeLessThan(3_000)
        const names = skills.map(({ name }) => name)
        expect(names).toContain("good")
        for (const name of Object.keys(hostile))
          expect(
            names.includes(name) || diagnostics.some(({ path }) => path === `${home.user}/${name}/SKILL.md`)
          ).toBe(true)
        expect(names).not.toContain("big")
      })
    ))

  test("instructions in the frontmatter of a file without a body make one skill and stay out of the prompt", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const text = "---\nname: x\ndescription: d\ninstructions: |\n  SECRET-BODY\n  two\n---\n"
        yield* home.write("cow/skills/x/SKILL.md", text)
        expect((yield* list(home)).diagnostics).toEqual([])
        const skills = yield* Effect.flatMap(SkillLibrary, (library) =>
          library.shown("default", home.workspace)
        )
        expect(skills.map(({ name }) => name)).toEqual(["x"])
        expect(SkillPrompt.render(skills, "read")).not.toContain("SECRET-BODY")
      })
    ))

  test("says to the model what it says to a person: nothing that nobody sees is in its card", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const hidden = "\u202e\u2066\u200b\u{e0041}\u{e0100}\ufeff\u00ad\u3164"
        const setup = `## Setup\n\nGet${hidden} it.\n`
        const needs = `metadata: {requires: {bins: [no${hidden}pe]}}\n`
        yield* home.write("cow/skills/x/SKILL.md", skillText("x", `a${hidden}b`, needs, setup))
        yield* home.write("cow/skills/y/SKILL.md", skillText("y", "👩\u200d🚀 ❤\ufe0f"))
        const skills = yield* Effect.flatMap(SkillLibrary, (library) =>
          library.shown("default", home.workspace)
        )
        const prompt = SkillPrompt.render(skills, "read")
        expect(prompt).toContain(
          "<name>x</name><description>ab</description><missing>bins: nope</missing><setup>Get it.</setup>"
        )
        expect(prompt).toContain("<description>👩\u200d🚀 ❤\ufe0f</description>")
      })
    ))

  test("has no name that looks like another one", () =>
    withHome((home) =>
      Effect.gen(function* () {
        for (const [at, sign] of ["\u200b", "\u202e", "\u2060", "\u00ad", "\u{e0061}", "\uffa0"].entries())
          yield* home.write(`cow/skills/x${at}/SKILL.md`, skillText(`mcp${sign}-setup`, "d"))
        const { diagnostics, skills } = yield* list(home)
        expect(skills).toEqual([])
        expect(diagnostics.map(({ message }) => message)).toHaveLength(6)
        expect(diagnostics[0]?.message).toContain('"mcp<U+200B>-setup" is not allowed: it holds characters')
      })
    ))

  test("whose path cannot stand in the prompt as it is, is told of", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const path = yield* home.write("cow/skills/a\nb/SKILL.md", skillText("a", "d"))
        expect((yield* list(home)).diagnostics).toContainEqual({
          path,
          severity: "warning",
          message: "its path cannot stand in the prompt: rename the folder"
        })
      })
    ))

  test("keeps a requirement that stands in what its metadata merges", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const base = "base: &b {requires: {bins: [nope]}}\nmetadata:\n  <<: *b\n"
        yield* home.write("cow/skills/x/SKILL.md", skillText("x", "d", base))
        const { skills } = yield* list(home)
        expect(skills[0]).toMatchObject({ name: "x", available: false, missing: { bins: ["nope"] } })
      })
    ))

  test("that misses thousands of programs leaves the others their descriptions", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const bins = Array.from({ length: 3000 }, (_, at) => `nope${at}`).join(", ")
        yield* home.write(
          "cow/skills/x/SKILL.md",
          skillText("x", "d", `metadata: {requires: {bins: [${bins}]}}\n`)
        )
        yield* home.write("cow/skills/y/SKILL.md", skillText("y", "e".repeat(1000)))
        const skills = yield* Effect.flatMap(SkillLibrary, (library) =>
          library.shown("default", home.workspace)
        )
        const prompt = SkillPrompt.render(skills, "read")
        expect(prompt).toContain(`<description>${"e".repeat(1000)}</description>`)
        expect(prompt).toContain("<missing>bins: nope0, nope1, ")
        expect(prompt.length).toBeLessThan(4000)
      })
    ))
})
