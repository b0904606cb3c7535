import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { InstallRefused } from "../src/index.ts"
import { SkillAssignments, SkillInstaller, SkillLibrary } from "../src/index.ts"
import { type InstallHome, withInstaller } from "./InstallHome.ts"
import { zip } from "./install/ZipFixture.ts"
import { skillText } from "./SkillHome.ts"

const installer = <A, E>(use: (service: SkillInstaller["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(SkillInstaller, use)

const install = (home: InstallHome, source: string, more: Partial<InstallHome["options"]> = {}) =>
  installer((service) => service.install(source, { ...home.options, ...more }))

const refused = (effect: Effect.Effect<unknown, InstallRefused, SkillInstaller>) =>
  Effect.map(Effect.flip(effect), ({ code }) => code)

const named = (home: InstallHome, name: string) =>
  Effect.map(
    Effect.flatMap(SkillLibrary, (library) => library.list(home.workspace)),
    ({ skills }) => skills.find((skill) => skill.name === name)
  )

/** Every file below a folder with its content, what a failed install must leave alone. */
const tree = (folder: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const paths = (yield* fs.readDirectory(folder, { recursive: true })).sort()
    return yield* Effect.forEach(paths, (path) =>
      Effect.map(Effect.option(fs.readFileString(`${folder}/${path}`)), (text) => [path, text] as const)
    )
  })

const at = (home: InstallHome, path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(`${home.user}/${path}`))

const package_ = (home: InstallHome, version: string, name = "tea") =>
  Effect.gen(function* () {
    yield* home.write(`pkg/${name}/SKILL.md`, skillText(name, `Version ${version}.`))
    yield* home.write(`pkg/${name}/scripts/run.sh`, `touch ${home.root}/MARKER_RAN\n`)
    return `${home.root}/pkg/${name}`
  })

describe("installing a skill", () => {
  test("from a folder puts it in place, enabled, given to default, and not trusted", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const [done] = yield* install(home, yield* package_(home, "1"))
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
          { persona: "default", allowed: true }
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
        yield* install(home, yield* package_(home, "1"), { trusted: true })
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

  test("takes every skill of a package, or none when one name is held", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const both = yield* home.write(
          "ab.zip",
          zip(["a", "b"].map((name) => ({ path: `${name}/SKILL.md`, content: skillText(name, "d") })))
        )
        yield* home.write("cow/skills/b/SKILL.md", skillText("b", "mine"))
        const before = yield* tree(home.user)
        const error = yield* Effect.flip(install(home, both))
        expect(error).toMatchObject({ code: "skill_exists" })
        expect(error.message).toContain(`${home.user}/b/SKILL.md`)
        expect((yield* tree(home.user)).filter(([path]) => path !== "skills_config.json")).toEqual(before)
        yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.remove(`${home.user}/b`, { recursive: true }))
        expect((yield* install(home, both)).map(({ name }) => name)).toEqual(["a", "b"])
      })
    ))

  test("by force replaces a copy of one's own, which is untrusted again, and never a built-in one", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* install(home, yield* package_(home, "1"), { trusted: true })
        yield* package_(home, "2")
        expect(yield* refused(install(home, `${home.root}/pkg/tea`))).toBe("skill_exists")
        yield* install(home, `${home.root}/pkg/tea`, { force: true })
        expect(yield* named(home, "tea")).toMatchObject({
          description: "Version 2.",
          trusted: false,
          reason: "untrusted"
        })
        // The same bytes as once trusted are untrusted as well.
        yield* package_(home, "1")
        yield* install(home, `${home.root}/pkg/tea`, { force: true })
        expect(yield* named(home, "tea")).toMatchObject({ trusted: false })

        yield* home.write("builtin/core/SKILL.md", skillText("core", "d"))
        const core = yield* package_(home, "1", "core")
        expect(yield* refused(install(home, core, { force: true }))).toBe("skill_exists")
      })
    ))

  test("by force moves a copy that lies elsewhere in the folder, and replaces no other skill in its way", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* home.write("cow/skills/category/old/SKILL.md", skillText("tea", "mine"))
        yield* install(home, yield* package_(home, "2"), { force: true })
        expect((yield* named(home, "tea"))?.path).toBe(`${home.user}/tea/SKILL.md`)
        yield* home.write("cow/skills/cup/SKILL.md", skillText("saucer", "d"))
        const cup = yield* package_(home, "1", "cup")
        expect(yield* refused(install(home, cup, { force: true }))).toBe("skill_exists")
        expect(yield* at(home, "cup/SKILL.md")).toContain("saucer")
      })
    ))

  test("that fails while it is placed leaves the old version and no trace", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* install(home, yield* package_(home, "1"), { trusted: true })
        const fs = yield* FileSystem.FileSystem
        // Where the switches cannot be written, the last step of the install fails.
        yield* fs.rename(home.switches, `${home.root}/switches`)
        yield* fs.makeDirectory(home.switches)
        const before = yield* tree(home.user)
        yield* package_(home, "2")
        expect(yield* refused(install(home, `${home.root}/pkg/tea`, { force: true }))).toBe("unwritable")
        expect(yield* refused(install(home, yield* package_(home, "1", "cup")))).toBe("unwritable")
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
        yield* fs.writeFileString(`${home.user}/skills-lock.json`, `{"version":9}`)
        expect(yield* refused(install(home, yield* package_(home, "1")))).toBe("unwritable")
        expect(yield* at(home, "skills-lock.json")).toBe(`{"version":9}`)
        expect(yield* fs.exists(`${home.user}/tea`)).toBe(false)
      })
    ))

  test("refuses names and descriptions that the specification does not take, with nothing written", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const bad = [
          skillText("A", "d"),
          skillText("a--b", "d"),
          skillText("../a", "d"),
          skillText("a".repeat(65), "d"),
          skillText("a", `"${"d".repeat(1025)}"`),
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
        const folder = yield* package_(home, "1")
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
        const folder = yield* package_(home, "1")
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
        const folder = yield* package_(home, "1")
        yield* home.write("pkg/tea/.cow-install.json", "{}")
        const [done] = yield* install(home, folder)
        expect(done?.files).toEqual(["SKILL.md", "scripts/run.sh"])
        expect(yield* at(home, "tea/.cow-install.json")).toContain(folder)
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
        expect(JSON.parse(yield* at(home, "skills-lock.json"))).toEqual({
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
        expect(yield* at(home, "skills-lock.json")).toContain(next)

        yield* home.write("cow/skills/tea/SKILL.md", skillText("tea", "By hand."))
        publish(home, commit, "3")
        expect(yield* refused(update())).toBe("changed_locally")
        expect((yield* named(home, "tea"))?.description).toBe("By hand.")
        yield* update(true)
        expect((yield* named(home, "tea"))?.description).toBe("Version 3.")
      })
    ))
})

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

        yield* install(home, yield* package_(home, "1"))
        yield* uninstall(home, "tea")
        expect(JSON.parse(yield* at(home, "skills-lock.json")).skills).toEqual({})
        expect(yield* at(home, "skills_config.json")).not.toContain('"tea"')
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
        const source = yield* package_(home, "1")
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
