/** Files that want to be more than a skill, or to stop the others from loading. */
import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { SkillLibrary, SkillPrompt } from "../src/index.ts"
import { type SkillHome, skillText, withHome } from "./SkillHome.ts"

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
})
