import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as SkillDiscovery from "../../src/discovery/SkillDiscovery.ts"
import { type SkillHome, skillText, withHome } from "../SkillHome.ts"

const scan = (home: SkillHome, root = home.user, named = false) =>
  SkillDiscovery.scan({ path: root, source: "user", named })

const found = (home: SkillHome) =>
  Effect.map(scan(home), (result) => result.found.map(({ path }) => path.slice(home.user.length + 1)))

const skill = (home: SkillHome, file: string) => home.write(`cow/skills/${file}`, skillText("a", "d"))

describe("finding skills", () => {
  test("a loose file counts in the root only, a read-me never", () =>
    withHome((home) =>
      Effect.gen(function* () {
        for (const file of [
          "rootskill.md",
          "README.md",
          "ReadMe.md",
          "readme.MD",
          "skill.md",
          "coll/plain.md"
        ])
          yield* skill(home, file)
        const result = yield* scan(home)
        expect(result.found).toEqual([
          {
            path: `${home.user}/rootskill.md`,
            baseDir: home.user,
            realPath: `${home.user}/rootskill.md`,
            fallbackName: "rootskill",
            installed: false
          }
        ])
        expect(result.diagnostics).toEqual([])
      })
    ))

  test("nothing is looked for below a folder with SKILL.md, except below the root", () =>
    withHome((home) =>
      Effect.gen(function* () {
        for (const file of ["a/SKILL.md", "a/nested/SKILL.md", "coll/y/z/SKILL.md", "SKILL.md"])
          yield* skill(home, file)
        expect(yield* found(home)).toEqual(["SKILL.md", "a/SKILL.md", "coll/y/z/SKILL.md"])
      })
    ))

  test("hidden folders and those of other tools are left out at every level", () =>
    withHome((home) =>
      Effect.gen(function* () {
        for (const folder of [".hidden", ".git", "node_modules", "venv", "__pycache__"]) {
          yield* skill(home, `${folder}/a/SKILL.md`)
          yield* skill(home, `c/${folder}/SKILL.md`)
        }
        yield* skill(home, "c/d/SKILL.md")
        expect(yield* found(home)).toEqual(["c/d/SKILL.md"])
      })
    ))

  test("only the exact spelling counts, and a folder of that name is none", () =>
    withHome((home) =>
      Effect.gen(function* () {
        for (const file of ["x/skill.md", "y/Skill.md", "z/SKILL.md/inside/SKILL.md", "z/beside/SKILL.md"])
          yield* skill(home, file)
        expect(yield* found(home)).toEqual(["z/SKILL.md/inside/SKILL.md", "z/beside/SKILL.md"])
      })
    ))

  test("a missing root is silent unless it was named, and a root that is a file warns once", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const messages = (root: string, named: boolean) =>
          Effect.map(scan(home, root, named), ({ found, diagnostics }) => [found.length, diagnostics.length])
        expect(yield* messages(`${home.root}/nope`, false)).toEqual([0, 0])
        expect(yield* messages(`${home.root}/nope`, true)).toEqual([0, 1])
        expect(yield* messages(yield* home.write("file", "x"), false)).toEqual([0, 1])
      })
    ))

  test("linked folders and files are found once, and links in a circle, to nowhere and to / end the search", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const link = (target: string, at: string) => fs.symlink(target, `${home.user}/${at}`)
        yield* skill(home, "plain/SKILL.md")
        const one = yield* home.write("src/one/SKILL.md", skillText("one", "d"))
        yield* fs.makeDirectory(`${home.user}/filelink`)
        yield* fs.makeDirectory(`${home.user}/loop`)
        yield* link(`${home.root}/src/one`, "dirlink")
        yield* link(`${home.root}/src/one`, "dirlink2")
        yield* link(yield* home.write("src/two/SKILL.md", skillText("two", "d")), "filelink/SKILL.md")
        for (const [target, at] of [
          [`${home.root}/nowhere`, "broken"],
          ["self", "self"],
          ["..", "loop/up"],
          [home.user, "loop/again"],
          ["/", "rootlink"]
        ] as const)
          yield* link(target, at)
        const before = performance.now()
        const result = yield* scan(home)
        expect(performance.now() - before).toBeLessThan(1000)
        expect(result.found.map(({ path }) => path.slice(home.user.length + 1))).toEqual([
          "dirlink/SKILL.md",
          "filelink/SKILL.md",
          "plain/SKILL.md"
        ])
        expect(result.found[0]?.realPath).toBe(one)
        expect(result.diagnostics.map(({ severity }) => severity)).toEqual(Array(5).fill("warning"))
        expect(result.complete).toBe(false)
      })
    ))

  test("the order of the disk makes no difference", () =>
    withHome((home) =>
      Effect.gen(function* () {
        for (const name of ["b", "a", "Z", "\u{1f600}", "\uffee", "é"]) yield* skill(home, `${name}/SKILL.md`)
        const fs = yield* FileSystem.FileSystem
        const reversed = {
          ...fs,
          readDirectoryEntries: (path: string) =>
            Effect.map(fs.readDirectoryEntries(path), (entries) => [...entries].reverse())
        }
        const straight = yield* scan(home)
        expect(yield* Effect.provideService(scan(home), FileSystem.FileSystem, reversed)).toEqual(straight)
        expect(straight.found.map(({ fallbackName }) => fallbackName)).toEqual([
          "Z",
          "a",
          "b",
          "é",
          "\uffee",
          "\u{1f600}"
        ])
      })
    ))

  test("nine levels down is too deep, and said", () =>
    withHome((home) =>
      Effect.gen(function* () {
        yield* skill(home, "1/2/3/4/5/6/7/8/SKILL.md")
        yield* skill(home, "x/2/3/4/5/6/7/8/9/SKILL.md")
        const result = yield* scan(home)
        expect(result.found.map(({ fallbackName }) => fallbackName)).toEqual(["8"])
        expect(result.diagnostics.map(({ path }) => path)).toEqual([`${home.user}/x/2/3/4/5/6/7/8/9`])
        expect(result.complete).toBe(false)
      })
    ))

  test("a folder that cannot be read costs only itself", () =>
    withHome((home) =>
      Effect.gen(function* () {
        yield* skill(home, "a/SKILL.md")
        yield* skill(home, "locked/SKILL.md")
        const fs = yield* FileSystem.FileSystem
        const refusing = {
          ...fs,
          // Root may read everything, so the refusal is made here.
          readDirectoryEntries: (path: string) =>
            fs.readDirectoryEntries(path.endsWith("locked") ? `${path}/SKILL.md` : path)
        }
        const result = yield* Effect.provideService(scan(home), FileSystem.FileSystem, refusing)
        expect(result.found.map(({ fallbackName }) => fallbackName)).toEqual(["a"])
        expect(result.diagnostics.map(({ path }) => path)).toEqual([`${home.user}/locked`])
        expect(result.complete).toBe(false)
      })
    ))
})
