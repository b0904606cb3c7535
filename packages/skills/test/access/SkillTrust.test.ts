import { describe, expect, test } from "bun:test"
import { SkillAssignments } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { SkillInstaller, SkillLibrary } from "../../src/index.ts"
import { type InstallHome, withInstaller } from "../install/InstallHome.ts"
import { skillText } from "../SkillHome.ts"

const state = (home: InstallHome, persona?: string) =>
  Effect.map(
    Effect.flatMap(SkillLibrary, (library) => library.list(home.workspace, persona)),
    ({ skills }) => skills.find(({ name }) => name === "tea")
  )

const inPrompt = (home: InstallHome, persona = "default") =>
  Effect.map(
    Effect.flatMap(SkillLibrary, (library) => library.shown(persona, home.workspace)),
    (skills) => skills.some(({ name }) => name === "tea")
  )

const installed = Effect.fnUntraced(function* (home: InstallHome) {
  yield* home.write("pkg/tea/SKILL.md", skillText("tea", "Makes tea."))
  yield* home.write("pkg/tea/references/more.md", "More.")
  yield* Effect.flatMap(SkillInstaller, (service) => service.install(`${home.root}/pkg/tea`, home.options))
})

const trust = (home: InstallHome) =>
  Effect.flatMap(SkillInstaller, (service) => service.trust("tea", home.workspace))

describe("trust of an installed skill", () => {
  test("is needed before it reaches a prompt, and one yes is enough", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* installed(home)
        expect(yield* state(home)).toMatchObject({ trusted: false, available: false, reason: "untrusted" })
        expect(yield* inPrompt(home)).toBe(false)
        const first = yield* trust(home)
        expect(yield* state(home)).toMatchObject({ trusted: true, available: true, reason: null })
        expect(yield* inPrompt(home)).toBe(true)
        const file = yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(home.switches))
        expect(JSON.parse(file).tea.trust).toEqual({ digest: first.digest, at: first.at })
        yield* trust(home)
        expect(yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(home.switches))).toBe(
          file
        )
      })
    ))

  test("ends with one changed byte of any file, and is back with the old bytes; the switches stay", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* installed(home)
        yield* trust(home)
        const fs = yield* FileSystem.FileSystem
        const changes: ReadonlyArray<
          readonly [Effect.Effect<unknown, unknown>, Effect.Effect<unknown, unknown>]
        > = [
          [
            fs.writeFileString(`${home.user}/tea/references/more.md`, "Mora."),
            fs.writeFileString(`${home.user}/tea/references/more.md`, "More.")
          ],
          [fs.writeFileString(`${home.user}/tea/new.txt`, ""), fs.remove(`${home.user}/tea/new.txt`)],
          [
            fs.rename(`${home.user}/tea/references`, `${home.user}/tea/refs`),
            fs.rename(`${home.user}/tea/refs`, `${home.user}/tea/references`)
          ],
          [fs.symlink("/etc/passwd", `${home.user}/tea/link`), fs.remove(`${home.user}/tea/link`)]
        ]
        for (const [change, back] of changes) {
          yield* change
          expect(yield* state(home)).toMatchObject({
            enabled: true,
            trusted: false,
            available: false,
            reason: "changed_since_trust"
          })
          expect(yield* inPrompt(home)).toBe(false)
          yield* back
          expect(yield* state(home)).toMatchObject({ trusted: true, reason: null })
          expect(yield* inPrompt(home)).toBe(true)
        }
      })
    ))

  // After some questions the disk is watched instead of looked at.
  for (const questions of [1, 8])
    test(`ends in a running process also when the size and the time of the file are put back (${questions})`, () =>
      withInstaller((home) =>
        Effect.gen(function* () {
          yield* installed(home)
          yield* trust(home)
          const fs = yield* FileSystem.FileSystem
          const script = `${home.user}/tea/references/more.md`
          const text = yield* fs.readFileString(script)
          const old = (path: string) => fs.utimes(path, 1_000_000, 1_000_000)
          yield* state(home)
          for (const path of yield* fs.readDirectory(home.root, { recursive: true }))
            yield* old(`${home.root}/${path}`)
          for (let question = 0; question < questions; question++)
            expect(yield* state(home)).toMatchObject({ trusted: true })
          yield* fs.writeFileString(script, text.replace(/./, "X"))
          yield* old(script)
          expect(yield* state(home)).toMatchObject({ trusted: false, reason: "changed_since_trust" })
          yield* fs.writeFileString(script, text)
          yield* old(script)
          for (let question = 0; question < questions; question++)
            expect(yield* state(home)).toMatchObject({ trusted: true })
        })
      ))

  test("is not gained by copying the folder or by losing the switches", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* installed(home)
        const fs = yield* FileSystem.FileSystem
        yield* fs.copy(`${home.user}/tea`, `${home.root}/kept`)
        yield* fs.remove(`${home.user}/tea`, { recursive: true })
        expect(yield* state(home)).toBeUndefined()
        yield* fs.copy(`${home.root}/kept`, `${home.user}/elsewhere/tea`)
        expect(yield* state(home)).toMatchObject({ trusted: false, reason: "untrusted" })

        yield* fs.writeFileString(home.switches, `{"tea": {"enab`)
        expect(yield* state(home)).toMatchObject({ trusted: false, reason: "untrusted" })
        expect(yield* fs.readFileString(`${home.switches}.bak`)).toBe(`{"tea": {"enab`)
        yield* fs.remove(home.switches)
        expect(yield* state(home)).toMatchObject({ trusted: false, reason: "untrusted" })
      })
    ))

  test("lost with the switches has to be given again", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* installed(home)
        yield* trust(home)
        yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.writeFileString(home.switches, "no json"))
        expect(yield* state(home)).toMatchObject({ trusted: false, reason: "untrusted" })
      })
    ))

  test("is not needed where a person put the skill by hand", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* home.write("cow/skills/tea/SKILL.md", skillText("tea", "Mine."))
        expect(yield* state(home)).toMatchObject({ trusted: true, available: true, reason: null })
      })
    ))

  test("is missing below an installed folder too, when its own file is taken away", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* installed(home)
        const fs = yield* FileSystem.FileSystem
        yield* fs.rename(`${home.user}/tea/SKILL.md`, `${home.user}/tea/references/SKILL.md`)
        expect(yield* state(home)).toMatchObject({ trusted: false, reason: "untrusted" })
      })
    ))

  test("an untrusted copy beats no built-in one", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* installed(home)
        yield* home.write("builtin/tea/SKILL.md", skillText("tea", "Built in."))
        expect(yield* state(home)).toMatchObject({ source: "builtin", trusted: true })
        yield* trust(home).pipe(Effect.ignore)
        expect(yield* state(home)).toMatchObject({ source: "builtin" })
      })
    ))

  test("of a project's skill is a matter of its folder", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        home.trust.value = false
        yield* home.write("work/.cow/skills/tea/SKILL.md", skillText("tea", "d"))
        expect((yield* Effect.flip(trust(home)))._tag).toBe("TrustRefused")
      })
    ))
})

describe("a skill and its personas", () => {
  test("trusted and disabled says so, and an installed one is only for whom it was given to", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* installed(home)
        yield* trust(home)
        expect(yield* state(home, "default")).toMatchObject({ reason: null })
        expect(yield* state(home, "p1")).toMatchObject({ reason: "not_assigned" })
        expect(yield* inPrompt(home, "p1")).toBe(false)
        const assignments = yield* SkillAssignments
        expect(yield* assignments.set("p1", "tea", true)).toBe(true)
        expect(yield* assignments.set("p1", "tea", true)).toBe(false)
        expect(yield* inPrompt(home, "p1")).toBe(true)
        expect(yield* assignments.set("p1", "tea", null)).toBe(true)
        expect(yield* inPrompt(home, "p1")).toBe(false)
        yield* Effect.flatMap(SkillLibrary, (library) => library.disable("tea", home.workspace))
        expect(yield* state(home, "p1")).toMatchObject({ trusted: true, reason: "disabled" })
      })
    ))

  test("any other one is for everyone, until it is taken from one or from all", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* home.write("builtin/tea/SKILL.md", skillText("tea", "d"))
        const assignments = yield* SkillAssignments
        const seen = Effect.all([inPrompt(home, "p1"), inPrompt(home, "p2")])
        expect(yield* seen).toEqual([true, true])
        yield* assignments.set("p1", "tea", false)
        expect(yield* seen).toEqual([false, true])
        yield* assignments.set("*", "tea", false)
        yield* assignments.set("p1", "tea", true)
        expect(yield* seen).toEqual([true, false])
      })
    ))
})
