/** The switches of `skills_config.json` as the catalogue keeps them; the file itself is `SkillSwitches.test.ts`. */
import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { SkillLibrary } from "../../src/index.ts"
import { type SkillHome, skillText, withHome } from "../SkillHome.ts"

const list = (home: SkillHome) => Effect.flatMap(SkillLibrary, (library) => library.list(home.workspace))
const named = (home: SkillHome, name: string) =>
  Effect.map(list(home), ({ skills }) => skills.find((skill) => skill.name === name))
const shown = (home: SkillHome) =>
  Effect.map(
    Effect.flatMap(SkillLibrary, (library) => library.shown("default", home.workspace)),
    (skills) => skills.map(({ name }) => name)
  )

describe("switches", () => {
  test("a disabled skill is out of the prompt at once, its shadowed copy stays down, and enabling brings it back", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const library = yield* SkillLibrary
        yield* home.write("builtin/a/SKILL.md", skillText("a", "builtin"))
        yield* home.write("cow/skills/größe/SKILL.md", skillText("größe".normalize("NFD"), "d"))
        yield* home.write("cow/skills/a/SKILL.md", skillText("a", "user"))
        yield* library.disable("a", home.workspace)
        yield* library.disable("größe".normalize("NFC"), home.workspace)
        expect(yield* named(home, "a")).toMatchObject({ source: "user", enabled: false, reason: "disabled" })
        expect(yield* shown(home)).toEqual([])
        yield* library.enable("a", home.workspace)
        expect(yield* shown(home)).toEqual(["a"])
      })
    ))

  test("a disabled copy of the user's that is deleted leaves the builtin one in force, and off", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const library = yield* SkillLibrary
        const fs = yield* FileSystem.FileSystem
        yield* home.write("builtin/x/SKILL.md", skillText("x", "builtin"))
        yield* home.write("cow/skills/x/SKILL.md", skillText("x", "user"))
        yield* library.disable("x", home.workspace)
        expect(yield* shown(home)).toEqual([])
        yield* fs.remove(`${home.user}/x`, { recursive: true })
        expect(yield* named(home, "x")).toMatchObject({
          source: "builtin",
          enabled: false,
          reason: "disabled"
        })
        expect(yield* shown(home)).toEqual([])
      })
    ))

  test("an unknown name is refused by name and nothing is written", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const library = yield* SkillLibrary
        const fs = yield* FileSystem.FileSystem
        for (const name of ["nope", "../../evil"]) {
          const error = yield* Effect.flip(library.disable(name, home.workspace))
          expect(error).toMatchObject({ _tag: "SkillNotFound", name })
          expect(error.message).toContain(name)
        }
        expect(yield* fs.exists(home.switches)).toBe(false)
      })
    ))

  test("an upgrade neither revives a disabled skill nor turns off an enabled one", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const library = yield* SkillLibrary
        yield* home.write("builtin/a/SKILL.md", skillText("a", "d"))
        yield* home.write("builtin/b/SKILL.md", skillText("b", "d", "metadata: {default_enabled: false}\n"))
        expect((yield* list(home)).skills.map(({ enabled }) => enabled)).toEqual([true, false])
        yield* library.disable("a", home.workspace)
        yield* library.enable("b", home.workspace)
        yield* home.write("builtin/a/SKILL.md", skillText("a", "e", "metadata: {default_enabled: true}\n"))
        yield* home.write("builtin/b/SKILL.md", skillText("b", "e", "metadata: {default_enabled: false}\n"))
        expect((yield* list(home)).skills.map(({ enabled }) => enabled)).toEqual([false, true])
      })
    ))

  test("a skill that cannot be read for a while keeps its switch, one that is gone does not", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const library = yield* SkillLibrary
        const fs = yield* FileSystem.FileSystem
        const path = yield* home.write("cow/skills/a/SKILL.md", skillText("a", "d"))
        yield* library.disable("a", home.workspace)
        yield* fs.writeFileString(path, "broken")
        expect((yield* list(home)).skills).toEqual([])
        yield* fs.writeFileString(path, skillText("a", "d"))
        expect((yield* named(home, "a"))?.enabled).toBe(false)
        yield* fs.remove(path)
        yield* list(home)
        yield* fs.writeFileString(path, skillText("a", "d"))
        expect((yield* named(home, "a"))?.enabled).toBe(true)
      })
    ))

  test("the switch of a project's skill stays while another project is worked on", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const library = yield* SkillLibrary
        yield* home.write("work/.cow/skills/x/SKILL.md", skillText("x", "d"))
        yield* home.write("other/.cow/skills/y/SKILL.md", skillText("y", "d"))
        yield* library.disable("x", home.workspace)
        const other = yield* library.list(`${home.root}/other`)
        expect(other.skills.map(({ name }) => name)).toEqual(["y"])
        expect(yield* named(home, "x")).toMatchObject({ enabled: false, reason: "disabled" })
      })
    ))

  test("an untrusted skill leaves no trace in the file", () =>
    withHome((home) =>
      Effect.gen(function* () {
        home.trust.value = false
        yield* home.write("work/.cow/skills/x/SKILL.md", skillText("x", "d"))
        yield* list(home)
        expect(yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.exists(home.switches))).toBe(false)
      })
    ))

  test("a file that cannot be read is reported and the skills are listed all the same", () =>
    withHome((home) =>
      Effect.gen(function* () {
        yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeDirectory(home.switches))
        yield* home.write("builtin/a/SKILL.md", skillText("a", "d"))
        const { skills, diagnostics } = yield* list(home)
        expect(skills.map(({ name }) => name)).toEqual(["a"])
        expect(diagnostics.map(({ path, severity }) => [path, severity])).toEqual([
          [home.switches, "warning"]
        ])
      })
    ))
})
