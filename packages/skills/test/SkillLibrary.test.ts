import { describe, expect, test } from "bun:test"
import { SkillCatalog, SkillFolders } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { SkillLibrary, SkillList } from "../src/index.ts"
import { type SkillHome, skillText, withHome } from "./SkillHome.ts"

const list = (home: SkillHome) => Effect.flatMap(SkillLibrary, (library) => library.list(home.workspace))
const named = (home: SkillHome, name: string) =>
  Effect.map(list(home), ({ skills }) => skills.find((skill) => skill.name === name))
const shown = (home: SkillHome) =>
  Effect.map(
    Effect.flatMap(SkillLibrary, (library) => library.shown("default", home.workspace)),
    (skills) => skills.map(({ name }) => name)
  )

describe("the catalogue", () => {
  test("lists a skill with exactly the agreed fields", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const path = yield* home.write("cow/skills/tea/SKILL.md", skillText("tea", "Makes tea."))
        const document = yield* list(home)
        expect(document).toEqual({
          skills: [
            {
              name: "tea",
              description: "Makes tea.",
              source: "user",
              path,
              base_dir: `${home.user}/tea`,
              enabled: true,
              trusted: true,
              available: true,
              missing: { bins: [], anyBins: [], env: [], anyEnv: [] },
              reason: null
            }
          ],
          shadowed: [],
          diagnostics: []
        })
        expect(Schema.is(SkillList)(document)).toBe(true)
      })
    ))

  test("the same disk gives the same bytes", () =>
    withHome((home) =>
      Effect.gen(function* () {
        for (const name of ["b", "a", "c"]) {
          yield* home.write(`cow/skills/${name}/SKILL.md`, skillText(name, "d"))
          yield* home.write(`builtin/${name}/SKILL.md`, skillText(name, "d"))
          yield* home.write(`builtin/bad-${name}/SKILL.md`, "no")
        }
        const first = JSON.stringify(yield* list(home))
        expect(JSON.stringify(yield* list(home))).toBe(first)
        const { skills, shadowed, diagnostics } = JSON.parse(first)
        expect(skills.map((one: { name: string }) => one.name)).toEqual(["a", "b", "c"])
        expect(shadowed.map((one: { name: string }) => one.name)).toEqual(["a", "b", "c"])
        expect(diagnostics).toHaveLength(3)
      })
    ))

  test("one bad file costs only itself, and 300 skills are all there", () =>
    withHome((home) =>
      Effect.gen(function* () {
        for (let at = 0; at < 300; at++)
          yield* home.write(`cow/skills/s${at}/SKILL.md`, skillText(`s${at}`, "d"))
        const bad = [
          yield* home.write(
            "cow/skills/latin/SKILL.md",
            new Uint8Array([0x2d, 0x2d, 0x2d, 0x0a, 0xe9, 0x0a])
          ),
          yield* home.write("cow/skills/mute/SKILL.md", "---\nname: mute\n---\n"),
          yield* home.write("cow/skills/script/SKILL.md", "---js\n({})\n---\n")
        ]
        const { skills, diagnostics } = yield* list(home)
        expect(skills).toHaveLength(300)
        expect(diagnostics.map(({ path, severity }) => [path, severity])).toEqual(
          bad.map((path) => [path, "error"])
        )
      })
    ))

  test("a project's skills are listed but count only once the folder is trusted", () =>
    withHome((home) =>
      Effect.gen(function* () {
        home.trust.value = false
        yield* home.write("builtin/both/SKILL.md", skillText("both", "builtin"))
        for (const folder of [".cow", ".agents", ".claude"]) {
          yield* home.write(`work/${folder}/skills/mine/SKILL.md`, skillText("mine", folder))
          yield* home.write(`work/${folder}/skills/both/SKILL.md`, skillText("both", folder))
        }
        const before = yield* list(home)
        expect(
          before.skills.map(({ name, source, trusted, available, reason }) => [
            name,
            source,
            trusted,
            available,
            reason
          ])
        ).toEqual([
          ["both", "builtin", true, true, null],
          ["mine", "project", false, false, "untrusted"]
        ])
        expect(before.shadowed.filter(({ name }) => name === "both").map(({ reason }) => reason)).toEqual(
          Array(3).fill("untrusted")
        )
        expect(yield* shown(home)).toEqual(["both"])
        home.trust.value = true
        const after = yield* list(home)
        expect(
          after.skills.map(({ source, description, available }) => [source, description, available])
        ).toEqual(Array(2).fill(["project", ".cow", true]))
        expect(yield* shown(home)).toEqual(["both", "mine"])
      })
    ))

  test("a workspace that is the user's own home does not put its skills under a project's trust", () =>
    withHome(
      (home) =>
        Effect.gen(function* () {
          home.trust.value = false
          yield* home.write("work/.claude/skills/a/SKILL.md", skillText("a", "d"))
          expect(yield* named(home, "a")).toMatchObject({ source: "user", trusted: true, available: true })
        }),
      (settings, { workspace }) => ({ ...settings, home: workspace })
    ))

  test("of a project those entries count that are trusted, a collection as one", () =>
    withHome(
      (home) =>
        Effect.gen(function* () {
          for (const path of ["tea", "cup", "set/one", "set/two"])
            yield* home.write(
              `work/.claude/skills/${path}/SKILL.md`,
              skillText(path.split("/").at(-1) ?? "", "d")
            )
          yield* home.write("work/.claude/skills/loose.md", skillText("loose", "d"))
          yield* home.write("work/.cow/skills/cup/SKILL.md", skillText("cup", "in another folder"))
          const { skills, shadowed } = yield* list(home)
          expect(skills.filter(({ trusted }) => trusted).map(({ name }) => name)).toEqual([
            "loose",
            "one",
            "tea",
            "two"
          ])
          expect(skills.find(({ name }) => name === "cup")).toMatchObject({ reason: "untrusted" })
          expect(shadowed.map(({ name }) => name)).toEqual(["cup"])
          expect(yield* shown(home)).toEqual(["loose", "one", "tea", "two"])
        }),
      (settings) => ({
        ...settings,
        projectTrusted: () =>
          Effect.succeed(
            new Set([
              ".claude/skills/tea",
              ".claude/skills/set",
              ".claude/skills/loose.md",
              ".agents/skills/cup"
            ])
          )
      })
    ))

  test("skills made for other agents are the user's, after those of Cow", () =>
    withHome((home) =>
      Effect.gen(function* () {
        for (const folder of ["cow/skills", "home/.agents/skills", "home/.claude/skills"])
          yield* home.write(`${folder}/x/SKILL.md`, skillText("x", folder))
        const { skills, shadowed } = yield* list(home)
        expect(skills.map(({ description, source }) => [description, source])).toEqual([
          ["cow/skills", "user"]
        ])
        expect(shadowed.map(({ reason }) => reason)).toEqual(["duplicate in user", "duplicate in user"])
      })
    ))

  test("a plugin's skills go when its scope closes, and their switches stay", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folders = yield* SkillFolders
        yield* home.write("plug/p/SKILL.md", skillText("p", "d"))
        const scope = yield* Scope.make()
        yield* Scope.provide(folders.register({ plugin: "acme", path: `${home.root}/plug` }), scope)
        expect(yield* named(home, "p")).toMatchObject({ source: "plugin", trusted: true })
        yield* Scope.close(scope, Exit.void)
        expect(yield* named(home, "p")).toBeUndefined()
        expect(Object.keys(JSON.parse(yield* fs.readFileString(home.switches)))).toEqual(["p"])
      })
    ))

  test("a requirement that is met while Cow runs counts at the next look", () =>
    withHome((home) =>
      Effect.gen(function* () {
        yield* home.write(
          "cow/skills/k/SKILL.md",
          skillText("k", "Use when: keyed", "metadata:\n  requires:\n    env: [K]\n")
        )
        expect(yield* named(home, "k")).toMatchObject({
          description: "Use when: keyed",
          available: false,
          missing: { env: ["K"] }
        })
        home.env.K = "x"
        expect(yield* named(home, "k")).toMatchObject({ available: true, reason: null })
      })
    ))
})

describe("changes on disk", () => {
  test("a new, edited and removed skill are seen at the next look, edits of the same size in the same moment too", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const write = (description: string) =>
          home.write("cow/skills/a/SKILL.md", skillText("a", description))
        expect(yield* named(home, "a")).toBeUndefined()
        for (const description of ["one", "two", "six"]) {
          yield* write(description)
          expect((yield* named(home, "a"))?.description).toBe(description)
        }
        yield* fs.remove(`${home.user}/a`, { recursive: true })
        expect(yield* named(home, "a")).toBeUndefined()
      })
    ))

  test("a file that has not changed for long is not read again", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* home.write("cow/skills/a/SKILL.md", skillText("a", "one"))
        yield* fs.utimes(path, 1_000_000, 1_000_000)
        expect((yield* named(home, "a"))?.description).toBe("one")
        // The same size, time and inode: only reading the file could tell.
        yield* fs.writeFileString(path, skillText("a", "two"))
        yield* fs.utimes(path, 1_000_000, 1_000_000)
        expect((yield* named(home, "a"))?.description).toBe("one")
        yield* fs.utimes(path, 1_000_001, 1_000_001)
        expect((yield* named(home, "a"))?.description).toBe("two")
      })
    ))
})

describe("what is shown to a persona", () => {
  const some = (home: SkillHome) =>
    Effect.all([
      home.write("builtin/a/SKILL.md", skillText("a", "d")),
      home.write("builtin/b/SKILL.md", skillText("b", "d")),
      home.write("builtin/mac/SKILL.md", skillText("mac", "d", "metadata: {os: [macos]}\n")),
      home.write("builtin/needy/SKILL.md", skillText("needy", "d", "metadata: {requires: {bins: [nope]}}\n")),
      home.write("builtin/people/SKILL.md", skillText("people", "d", "disable-model-invocation: Yes\n"))
    ])

  test("is what is trusted, enabled, for this platform and not for people only", () =>
    withHome((home) =>
      Effect.gen(function* () {
        yield* some(home)
        expect(yield* shown(home)).toEqual(["a", "b", "needy"])
        const catalog = yield* Effect.provide(SkillCatalog, SkillLibrary.layerCatalog)
        expect(yield* catalog.cards("default", home.workspace)).toMatchObject([
          { name: "a", available: true },
          { name: "b", available: true },
          { name: "needy", available: false, path: `${home.builtin}/needy/SKILL.md` }
        ])
      })
    ))

  test("a limit of names, nested and with blanks, leaves only these", () =>
    withHome(
      (home) =>
        Effect.andThen(
          some(home),
          Effect.map(shown(home), (names) => expect(names).toEqual(["a", "b"]))
        ),
      (settings) => ({ ...settings, limit: [" a ", [["b"], ""]] })
    ))

  test("an empty limit is none", () =>
    withHome(
      (home) =>
        Effect.andThen(
          some(home),
          Effect.map(shown(home), (names) => expect(names).toEqual(["a", "b", "needy"]))
        ),
      (settings) => ({ ...settings, limit: [[], " "] })
    ))

  test("a persona without the capability does not see the skill", () =>
    withHome(
      (home) =>
        Effect.andThen(
          some(home),
          Effect.map(shown(home), (names) => expect(names).toEqual(["b", "needy"]))
        ),
      (settings) => ({
        ...settings,
        permitted: (persona) => Effect.succeed(({ name }) => persona === "default" && name !== "a")
      })
    ))
})
