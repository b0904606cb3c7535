import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as fc from "fast-check"
import { parseFrontmatter, SkillInstaller, SkillLibrary } from "../../src/index.ts"
import * as SkillContent from "../../src/install/package/SkillContent.ts"
import { type InstallHome, withInstaller } from "../install/InstallHome.ts"
import { skillText } from "../SkillHome.ts"

const named = (home: InstallHome, name: string) =>
  Effect.map(
    Effect.flatMap(SkillLibrary, (library) => library.list(home.workspace)),
    ({ skills }) => skills.find((skill) => skill.name === name)
  )

const create = (home: InstallHome, content: SkillContent.SkillContent) =>
  Effect.flatMap(SkillInstaller, (service) =>
    service.create(content, { ...home.options, enabled: false, assign: [] })
  )

const edit = (home: InstallHome, changes: SkillContent.SkillChanges, name = "tea") =>
  Effect.flatMap(SkillInstaller, (service) => service.edit(name, changes, home.workspace))

const trust = (home: InstallHome) =>
  Effect.flatMap(SkillInstaller, (service) => service.trust("tea", home.workspace))

const tea = { name: "tea", description: "Makes tea: green or black.", instructions: "Boil.\n" }

describe("a skill made from fields", () => {
  test("is neither enabled nor trusted, and a held name is refused", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        expect(yield* create(home, tea)).toMatchObject([{ name: "tea", enabled: false, trusted: false }])
        expect(yield* named(home, "tea")).toMatchObject({ enabled: false, trusted: false })
        expect((yield* Effect.flip(create(home, tea))).code).toBe("skill_exists")
        expect((yield* Effect.flip(create(home, { ...tea, name: "../a" }))).code).toBe("invalid_skill")
      })
    ))

  test("reads back as it was given, whatever it says", async () => {
    const words = fc.string({ minLength: 1, maxLength: 80, unit: "grapheme" })
    await fc.assert(
      fc.asyncProperty(words, fc.array(words, { maxLength: 3 }), async (description, tool_names) => {
        const text = SkillContent.render({ ...tea, description, tool_names })
        const { data, body } = await Effect.runPromise(parseFrontmatter(text))
        expect(data).toEqual({ name: "tea", description, tool_names })
        expect(body).toBe("Boil.\n")
      }),
      { numRuns: 60 }
    )
  })
})

describe("editing a skill", () => {
  test("ends its trust; the same text again writes nothing and leaves it", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* create(home, tea)
        yield* trust(home)
        const fs = yield* FileSystem.FileSystem
        const before = (yield* fs.stat(`${home.user}/tea/SKILL.md`)).mtime
        expect(yield* edit(home, { instructions: "Boil.\n", description: tea.description })).toBe(false)
        expect((yield* fs.stat(`${home.user}/tea/SKILL.md`)).mtime).toEqual(before)
        expect(yield* named(home, "tea")).toMatchObject({ trusted: true })
        expect(yield* edit(home, { instructions: "Boil twice." })).toBe(true)
        expect(yield* named(home, "tea")).toMatchObject({ trusted: false, reason: "changed_since_trust" })
        expect(yield* fs.readFileString(`${home.user}/tea/SKILL.md`)).toEndWith("---\nBoil twice.\n")
        yield* edit(home, { instructions: "Boil." })
        expect(yield* named(home, "tea")).toMatchObject({ trusted: true })
      })
    ))

  test("keeps what was not changed: other fields, comments, other files", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const more = "metadata:\n  # why\n  requires: {bins: [sh]}\nlicense: MIT\n"
        yield* home.write("cow/skills/tea/SKILL.md", skillText("tea", "old", more, "Body.\n"))
        yield* home.write("cow/skills/tea/scripts/run.sh", "true\n")
        expect(yield* edit(home, { description: "New: and better." })).toBe(true)
        const fs = yield* FileSystem.FileSystem
        const text = yield* fs.readFileString(`${home.user}/tea/SKILL.md`)
        for (const kept of ["# why", "license: MIT", "bins:", "---\nBody.\n"]) expect(text).toContain(kept)
        expect(yield* fs.readFileString(`${home.user}/tea/scripts/run.sh`)).toBe("true\n")
        expect(yield* named(home, "tea")).toMatchObject({ description: "New: and better.", trusted: false })
      })
    ))

  test("with a bad value, or of a skill that is not one's own, changes nothing", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const path = yield* home.write("cow/skills/tea/SKILL.md", skillText("tea", "old"))
        yield* home.write("builtin/core/SKILL.md", skillText("core", "d"))
        expect((yield* Effect.flip(edit(home, { description: "d".repeat(1025) })))._tag).toBe(
          "InstallRefused"
        )
        expect((yield* Effect.flip(edit(home, { description: "x" }, "core")))._tag).toBe("SkillReadOnly")
        expect((yield* Effect.flip(edit(home, { description: "x" }, "nope")))._tag).toBe("SkillNotFound")
        const fs = yield* FileSystem.FileSystem
        expect(yield* fs.readFileString(path)).toBe(skillText("tea", "old"))
        expect(yield* named(home, "tea")).toMatchObject({ trusted: true })
      })
    ))
})
