import { describe, expect, test } from "bun:test"
import { SkillAssignments } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { skillText } from "../SkillHome.ts"
import {
  install,
  installAny,
  installer,
  named,
  readOwn,
  refused,
  tree,
  withInstaller,
  writePackage
} from "./InstallHome.ts"
import { zip } from "./ZipFixture.ts"

describe("installing a skill", () => {
  test("from a folder puts it in place, enabled, given to default, and not trusted", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const [done] = yield* install(home, yield* writePackage(home, "1"))
        expect(done).toMatchObject({
          name: "tea",
          enabled: true,
          trusted: false,
          path: `${home.user}/tea`,
          files: ["SKILL.md", "scripts/run.sh"],
          scripts: ["scripts/run.sh"],
          warnings: []
        })
        expect(yield* named(home, "tea")).toMatchObject({
          source: "user",
          enabled: true,
          trusted: false,
          available: false,
          reason: "untrusted"
        })
        expect(yield* Effect.flatMap(SkillAssignments, (all) => all.of("tea"))).toEqual([
          { skill: "tea", persona: "default", allowed: true }
        ])
        const fs = yield* FileSystem.FileSystem
        expect(yield* fs.exists(`${home.root}/MARKER_RAN`)).toBe(false)
        expect((yield* fs.readDirectory(home.user)).sort()).toEqual([
          "skills-lock.json",
          "skills_config.json",
          "tea"
        ])
      })
    ))

  test("with a yes trusts it at once", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* install(home, yield* writePackage(home, "1"), { trusted: true })
        expect(yield* named(home, "tea")).toMatchObject({ trusted: true, available: true, reason: null })
      })
    ))

  test("puts it under the name in its file, whatever the package calls its folder", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const bytes = zip([
          { path: "some-folder/SKILL.md", content: skillText("größe", "d") },
          { path: "README.md", content: "not a part" }
        ])
        yield* home.write("a.zip", bytes)
        yield* install(home, `${home.root}/a.zip`)
        expect((yield* named(home, "größe"))?.path).toBe(`${home.user}/größe/SKILL.md`)
        expect(
          yield* refused(install(home, yield* home.write("none.zip", zip([{ path: "a/b/SKILL.md" }]))))
        ).toBe("no_skill")
      })
    ))

  test("takes what there is of a package: one that cannot be taken costs none of the others", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* home.write("cow/skills/held/SKILL.md", skillText("held", "mine"))
        yield* home.write("builtin/core/SKILL.md", skillText("core", "d"))
        const pack = {
          good: skillText("good", "d"),
          long: skillText("long", "d".repeat(1068)),
          loose: skillText("loose", "*.md files for issue #42"),
          nameless: "---\ndescription: d\n---\n",
          held: skillText("held", "theirs"),
          core: skillText("core", "theirs"),
          twin: skillText("good", "the second"),
          mute: "---\nname: mute\n---\n",
          listed: skillText("[a, b]", "d"),
          Bad_Name: skillText("Bad_Name", "d"),
          open: "---\nname: open\n",
          bytes: new Uint8Array([0xff, 0xfe])
        }
        for (const [folder, text] of Object.entries(pack)) yield* home.write(`pkg/${folder}/SKILL.md`, text)
        yield* home.write("pkg/README.md", "not a skill")
        const { installed, leftOut } = yield* installAny(home, `${home.root}/pkg`)
        expect(installed.map(({ name, warnings }) => [name, warnings.length])).toEqual([
          ["good", 0],
          ["long", 1],
          ["loose", 1],
          ["nameless", 1]
        ])
        expect(Object.fromEntries(leftOut.map(({ name, refusal }) => [name, refusal.code]))).toEqual({
          held: "skill_exists",
          core: "skill_exists",
          twin: "invalid_skill",
          mute: "invalid_skill",
          listed: "invalid_skill",
          Bad_Name: "invalid_skill",
          open: "invalid_skill",
          bytes: "invalid_skill"
        })
        const why = (wanted: string) => leftOut.find(({ name }) => name === wanted)?.refusal.message
        expect(why("Bad_Name")).toContain('"bad-name" would be allowed')
        expect(why("held")).toContain(`${home.user}/held/SKILL.md`)
        expect(yield* named(home, "long")).toMatchObject({ description: "d".repeat(1068) })
        expect(yield* named(home, "loose")).toMatchObject({ description: "*.md files for issue #42" })
        expect(yield* named(home, "held")).toMatchObject({ description: "mine" })
        expect(yield* readOwn(home, "skills-lock.json")).not.toContain("held")

        const all = yield* Effect.flip(installAny(home, `${home.root}/pkg`))
        for (const name of ["good", "mute", "open"]) expect(all.message).toContain(name)
      })
    ))

  test("of an upload is whole and to the letter, or nothing is placed", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const pack = (...skills: ReadonlyArray<readonly [string, string]>) =>
          installer((service) =>
            service.upload(
              zip(skills.map(([folder, content]) => ({ path: `${folder}/SKILL.md`, content }))),
              "a.zip",
              home.options
            )
          )
        const good = ["a", skillText("a", "d")] as const
        expect(yield* refused(pack(good, ["b", skillText("b", "d".repeat(1025))]))).toBe("invalid_skill")
        expect(yield* refused(pack(good, ["b", "no frontmatter"]))).toBe("invalid_skill")
        expect(yield* tree(home.user)).toEqual([])
        yield* home.write("cow/skills/b/SKILL.md", skillText("b", "mine"))
        expect(yield* refused(pack(good, ["b", skillText("b", "theirs")]))).toBe("skill_exists")
        expect(yield* named(home, "a")).toBeUndefined()
        expect((yield* pack(good)).map(({ name }) => name)).toEqual(["a"])
        const content = { name: "c", description: "d".repeat(1025), instructions: "x" }
        expect(yield* refused(installer((service) => service.create(content, home.options)))).toBe(
          "invalid_skill"
        )
      })
    ))

  test("by force replaces a copy of one's own, which is untrusted again, and never a built-in one", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* install(home, yield* writePackage(home, "1"), { trusted: true })
        yield* writePackage(home, "2")
        expect(yield* refused(install(home, `${home.root}/pkg/tea`))).toBe("skill_exists")
        yield* install(home, `${home.root}/pkg/tea`, { force: true })
        expect(yield* named(home, "tea")).toMatchObject({
          description: "Version 2.",
          trusted: false,
          reason: "untrusted"
        })
        // The same bytes as once trusted are untrusted as well.
        yield* writePackage(home, "1")
        yield* install(home, `${home.root}/pkg/tea`, { force: true })
        expect(yield* named(home, "tea")).toMatchObject({ trusted: false })

        yield* home.write("builtin/core/SKILL.md", skillText("core", "d"))
        const core = yield* writePackage(home, "1", "core")
        expect(yield* refused(install(home, core, { force: true }))).toBe("skill_exists")
      })
    ))

  test("by force moves a copy that lies elsewhere in the folder, and replaces no other skill in its way", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* home.write("cow/skills/category/old/SKILL.md", skillText("tea", "mine"))
        yield* install(home, yield* writePackage(home, "2"), { force: true })
        expect((yield* named(home, "tea"))?.path).toBe(`${home.user}/tea/SKILL.md`)
        yield* home.write("cow/skills/cup/SKILL.md", skillText("saucer", "d"))
        const cup = yield* writePackage(home, "1", "cup")
        expect(yield* refused(install(home, cup, { force: true }))).toBe("skill_exists")
        expect(yield* readOwn(home, "cup/SKILL.md")).toContain("saucer")
      })
    ))

  test("that fails while it is placed leaves the old version and no trace", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* install(home, yield* writePackage(home, "1"), { trusted: true })
        const fs = yield* FileSystem.FileSystem
        // Where the switches cannot be written, the last step of the install fails.
        yield* fs.rename(home.switches, `${home.root}/switches`)
        yield* fs.makeDirectory(home.switches)
        const before = yield* tree(home.user)
        yield* writePackage(home, "2")
        expect(yield* refused(install(home, `${home.root}/pkg/tea`, { force: true }))).toBe("unwritable")
        expect(yield* refused(install(home, yield* writePackage(home, "1", "cup")))).toBe("unwritable")
        expect(yield* tree(home.user)).toEqual(before)
        expect(yield* Effect.flatMap(SkillAssignments, (all) => all.of("cup"))).toEqual([])
        yield* fs.remove(home.switches, { recursive: true })
        yield* fs.rename(`${home.root}/switches`, home.switches)
        expect(yield* named(home, "tea")).toMatchObject({ description: "Version 1.", trusted: true })
      })
    ))

  test("does not forget a lock file that it cannot read", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const entry = { source: "/x", commit: null, digest: "sha256:0" }
        const odd = JSON.stringify({ version: 1, skills: { "../x": entry } })
        yield* fs.writeFileString(`${home.user}/skills-lock.json`, odd)
        const error = yield* Effect.flip(install(home, yield* writePackage(home, "1")))
        expect(error.message).toEndWith('is no lock file of Cow: "../x" is no name of an installed skill')
        expect(yield* readOwn(home, "skills-lock.json")).toBe(odd)
        yield* fs.writeFileString(`${home.user}/skills-lock.json`, `{"version":9}`)
        expect(yield* refused(install(home, yield* writePackage(home, "1")))).toBe("unwritable")
        expect(yield* readOwn(home, "skills-lock.json")).toBe(`{"version":9}`)
        expect(yield* fs.exists(`${home.user}/tea`)).toBe(false)
      })
    ))

  test("refuses names that the specification does not take, with nothing written", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const bad = [
          skillText("A", "d"),
          skillText("a--b", "d"),
          skillText("../a", "d"),
          skillText("a".repeat(65), "d"),
          skillText("a", '""'),
          skillText("a", "d", "tool_names: read\n"),
          "no frontmatter"
        ]
        for (const text of bad) {
          yield* home.write("pkg/x/SKILL.md", text)
          expect(yield* refused(install(home, `${home.root}/pkg/x`))).toBe("invalid_skill")
        }
        expect(yield* tree(home.user)).toEqual([])
        yield* home.write(
          "pkg/x/SKILL.md",
          skillText("a".repeat(64), "d".repeat(1024), "tool_names: [read]\n")
        )
        expect(yield* install(home, `${home.root}/pkg/x`)).toHaveLength(1)
      })
    ))

  test("refuses a folder with a link in it, and a source that is not there", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const folder = yield* writePackage(home, "1")
        yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.symlink("/etc/passwd", `${folder}/passwd`))
        expect(yield* refused(install(home, folder))).toBe("zip_link")
        expect(yield* refused(install(home, `${home.root}/nowhere`))).toBe("bad_source")
        expect(yield* refused(install(home, "http://example.com/a.zip"))).toBe("bad_source")
        expect(yield* tree(home.user)).toEqual([])
      })
    ))

  test("warns of a value that looks like a secret, masked", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const folder = yield* writePackage(home, "1")
        yield* home.write(
          "pkg/tea/SKILL.md",
          skillText("tea", "d", "", "token: ghp_0123456789abcdefABCDEF\n")
        )
        const [done] = yield* install(home, folder)
        expect(done?.warnings).toEqual(["tea/SKILL.md: line 5: this looks like a secret: ghp_********"])
      })
    ))

  test("takes no mark over from a package", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const folder = yield* writePackage(home, "1")
        yield* home.write("pkg/tea/.cow-install.json", "{}")
        const [done] = yield* install(home, folder)
        expect(done?.files).toEqual(["SKILL.md", "scripts/run.sh"])
        expect(yield* readOwn(home, "tea/.cow-install.json")).toContain(folder)
        const cup = yield* writePackage(home, "1", "cup")
        yield* home.write("pkg/cup/.Cow-Install.JSON", "{}")
        expect((yield* install(home, cup))[0]?.files).toEqual(["SKILL.md", "scripts/run.sh"])
      })
    ))

  test("of an upload is as the caller says: neither enabled nor anybody's", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const bytes = zip([{ path: "SKILL.md", content: skillText("tea", "d") }])
        const options = { ...home.options, enabled: false, assign: [] }
        const [done] = yield* installer((service) => service.upload(bytes, "tea.zip", options))
        expect(done).toMatchObject({ name: "tea", enabled: false, trusted: false })
        expect(yield* named(home, "tea")).toMatchObject({ enabled: false, trusted: false })
        expect(yield* Effect.flatMap(SkillAssignments, (all) => all.of("tea"))).toEqual([])
      })
    ))
})
