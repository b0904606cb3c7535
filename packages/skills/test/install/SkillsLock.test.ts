import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { SkillLibrary } from "../../src/index.ts"
import { skillText } from "../SkillHome.ts"
import {
  type InstallHome,
  install,
  installer,
  named,
  readOwn,
  refused,
  withInstaller
} from "./InstallHome.ts"
import { zip } from "./ZipFixture.ts"

const commit = "0123456789abcdef0123456789abcdef01234567"
const next = "f".repeat(40)
const archive = (version: string) =>
  zip([{ path: "r-x/skills/tea/SKILL.md", content: skillText("tea", `Version ${version}.`) }])

const publish = (home: InstallHome, sha: string, version: string) => {
  home.internet.set("https://api.github.com/repos/o/r/commits/HEAD", sha)
  home.internet.set(`https://codeload.github.com/o/r/zip/${sha}`, archive(version))
}

describe("the lock file", () => {
  test("holds source, commit and digest, and a frozen install gives exactly that", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        publish(home, commit, "1")
        const [done] = yield* install(home, "github:o/r/skills/tea")
        expect(JSON.parse(yield* readOwn(home, "skills-lock.json"))).toEqual({
          version: 1,
          skills: { tea: { source: "github:o/r/skills/tea", commit, digest: done?.digest as string } }
        })
        publish(home, next, "2")
        const frozen = installer((service) => service.installLocked([], home.options))
        expect(yield* frozen).toEqual([])
        const fs = yield* FileSystem.FileSystem
        yield* fs.remove(`${home.user}/tea`, { recursive: true })
        expect(yield* frozen).toMatchObject([{ name: "tea", digest: done?.digest as string }])
        expect((yield* named(home, "tea"))?.description).toBe("Version 1.")

        yield* fs.remove(`${home.user}/tea`, { recursive: true })
        home.internet.set(`https://codeload.github.com/o/r/zip/${commit}`, archive("forged"))
        expect(yield* refused(frozen)).toBe("digest_mismatch")
        expect(yield* fs.exists(`${home.user}/tea`)).toBe(false)
        expect(yield* refused(installer((service) => service.installLocked(["nope"], home.options)))).toBe(
          "not_in_lock"
        )
      })
    ))

  test("an update takes what is there now, keeps the switches, and asks for trust again", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        publish(home, commit, "1")
        yield* install(home, "github:o/r/skills/tea", { trusted: true })
        const update = (force = false) =>
          installer((service) => service.update([], { workspace: home.workspace, force }))
        expect(yield* update()).toMatchObject([{ name: "tea", changed: false }])
        yield* Effect.flatMap(SkillLibrary, (library) => library.disable("tea", home.workspace))
        publish(home, next, "2")
        expect(yield* update()).toMatchObject([{ name: "tea", changed: true }])
        expect(yield* named(home, "tea")).toMatchObject({
          description: "Version 2.",
          enabled: false,
          trusted: false,
          reason: "changed_since_trust"
        })
        expect(yield* readOwn(home, "skills-lock.json")).toContain(next)

        yield* home.write("cow/skills/tea/SKILL.md", skillText("tea", "By hand."))
        publish(home, commit, "3")
        expect(yield* refused(update())).toBe("changed_locally")
        expect((yield* named(home, "tea"))?.description).toBe("By hand.")
        yield* update(true)
        expect((yield* named(home, "tea"))?.description).toBe("Version 3.")
      })
    ))
})
