import { describe, expect, test } from "bun:test"
import { SkillAssignments } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { skillText } from "../SkillHome.ts"
import {
  type InstallHome,
  install,
  installer,
  named,
  readOwn,
  tree,
  withInstaller,
  writePackage
} from "./InstallHome.ts"

const uninstall = (home: InstallHome, name: string) =>
  installer((service) => service.uninstall(name, home.workspace))

describe("uninstalling a skill", () => {
  test("removes its folder whatever that is called, its switch, its lock and its assignments", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* home.write("cow/skills/drinks/hot/SKILL.md", skillText("tea", "d"))
        yield* home.write("cow/skills/drinks/cold/SKILL.md", skillText("juice", "d"))
        expect(yield* uninstall(home, "tea")).toBe(`${home.user}/drinks/hot`)
        expect(yield* named(home, "tea")).toBeUndefined()
        expect(yield* named(home, "juice")).toBeDefined()

        yield* install(home, yield* writePackage(home, "1"))
        yield* uninstall(home, "tea")
        expect(JSON.parse(yield* readOwn(home, "skills-lock.json")).skills).toEqual({})
        expect(yield* readOwn(home, "skills_config.json")).not.toContain('"tea"')
        expect(yield* Effect.flatMap(SkillAssignments, (all) => all.of("tea"))).toEqual([])
      })
    ))

  test("takes away a loose file or a link, never the folder of skills or what a link leads to", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        yield* home.write("cow/skills/note.md", skillText("note", "d"))
        yield* home.write("elsewhere/linked/SKILL.md", skillText("linked", "d"))
        yield* fs.symlink(`${home.root}/elsewhere/linked`, `${home.user}/linked`)
        yield* home.write("cow/skills/stays/SKILL.md", skillText("stays", "d"))
        yield* uninstall(home, "note")
        yield* uninstall(home, "linked")
        expect(yield* fs.exists(`${home.root}/elsewhere/linked/SKILL.md`)).toBe(true)
        expect((yield* fs.readDirectory(home.user)).filter((one) => !one.endsWith(".json"))).toEqual([
          "stays"
        ])
      })
    ))

  test("refuses built-in skills, those of other programs, and names that are none or a path", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* home.write("builtin/core/SKILL.md", skillText("core", "d"))
        yield* home.write("home/.agents/skills/theirs/SKILL.md", skillText("theirs", "d"))
        for (const name of ["core", "theirs"])
          expect((yield* Effect.flip(uninstall(home, name)))._tag).toBe("NotRemovable")
        const before = yield* tree(home.root)
        for (const name of [
          "nope",
          "../../evil",
          "/etc",
          "",
          "   ",
          ".",
          "foo/../../escaped",
          "\\\\server\\share"
        ])
          expect((yield* Effect.flip(uninstall(home, name)))._tag).toBe("SkillNotFound")
        expect(yield* tree(home.root)).toEqual(before)
      })
    ))

  test("removes the user's copy also where a project's copy counts, and a built-in one comes up", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        for (const folder of ["cow/skills", "builtin", "work/.cow/skills"])
          yield* home.write(`${folder}/tea/SKILL.md`, skillText("tea", folder))
        expect(yield* uninstall(home, "tea")).toBe(`${home.user}/tea`)
        home.trust.value = false
        expect(yield* named(home, "tea")).toMatchObject({ source: "builtin" })
      })
    ))
})

describe("what is known of an installed skill", () => {
  test("source, digest, times, personas, files and scripts", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const source = yield* writePackage(home, "1")
        const [done] = yield* install(home, source)
        const record = yield* installer((service) => service.trust("tea", home.workspace))
        const info = yield* installer((service) => service.info("tea", home.workspace))
        expect(info).toMatchObject({
          installed: { source, commit: null, digest: done?.digest as string },
          digest: done?.digest as string,
          trustedAt: record.at,
          assignments: [{ persona: "default", allowed: true }],
          files: ["SKILL.md", "scripts/run.sh"],
          scripts: ["scripts/run.sh"]
        })
        expect(Date.parse(info.installed?.installed_at ?? "")).toBeGreaterThan(0)
      })
    ))
})
