/** A running process never answers from a disk that is no more: real files, changed in every way, looked at at once. */
import { describe, expect, test } from "bun:test"
import * as nodeFs from "node:fs"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { type OpenDisk, SkillDiskNode, SkillLibrary, type SkillSettings } from "../../src/index.ts"
import { type Services, type SkillHome, skillText, withHome } from "../SkillHome.ts"

/** How many stamps were taken, and what of the disk was read. */
interface Seen {
  stamps: number
}

const counting =
  (seen: Seen): OpenDisk =>
  (fs) => {
    const disk = SkillDiskNode.open(fs)
    const count = (paths: ReadonlyArray<string>) => {
      seen.stamps += paths.length
    }
    return {
      ...disk,
      stamps: (paths) => Effect.tap(disk.stamps(paths), () => Effect.sync(() => count(paths))),
      isUnchanged: (paths, stamps) =>
        Effect.tap(disk.isUnchanged(paths, stamps), () => Effect.sync(() => count(paths)))
    }
  }

const withStamps = (
  use: (home: SkillHome) => Effect.Effect<void, unknown, Services>,
  change: (settings: SkillSettings) => SkillSettings = (settings) => settings
) => withHome(use, (settings) => change({ ...settings, openDisk: SkillDiskNode.open }))

const shown = (home: SkillHome) =>
  Effect.flatMap(SkillLibrary, (library) => library.shown("default", home.workspace))
const texts = (home: SkillHome) =>
  Effect.map(shown(home), (skills) => skills.map(({ description, name }) => `${name}: ${description}`))

/** Old enough to be believed unchanged. */
const age = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.utimes(path, 1_000_000, 1_000_000))

describe("while nothing changes on disk", () => {
  test("an answer is the very same value, and costs one stamp for each file it rests on", async () => {
    const seen: Seen = { stamps: 0 }
    await withHome(
      (home) =>
        Effect.gen(function* () {
          for (let at = 0; at < 20; at++) {
            yield* age(yield* home.write(`cow/skills/s${at}/SKILL.md`, skillText(`s${at}`, "d")))
            yield* age(`${home.user}/s${at}`)
          }
          yield* shown(home)
          for (const folder of [home.user, home.builtin, home.switches]) yield* age(folder)
          yield* shown(home)
          const first = yield* shown(home)
          expect(first).toHaveLength(20)
          seen.stamps = 0
          expect(yield* shown(home)).toBe(first)
          // The skills, the roots and the switches.
          expect(seen.stamps).toBeLessThanOrEqual(20 + 8 + 1)
        }),
      (settings) => ({ ...settings, openDisk: counting(seen) })
    )
  })

  test("a file that changed just now is looked at again until its time can be believed", () =>
    withStamps((home) =>
      Effect.gen(function* () {
        yield* home.write("cow/skills/a/SKILL.md", skillText("a", "d"))
        const first = yield* shown(home)
        expect(yield* shown(home)).not.toBe(first)
      })
    ))
})

/** Questions after which an answer is watched. */
const enough = 4

for (const watched of [false, true])
  describe(`a change is seen at the next look${watched ? " at a disk that is watched" : ""}`, () => {
    const settled = Effect.fnUntraced(function* (home: SkillHome, names: ReadonlyArray<string>) {
      for (const name of names) {
        yield* age(yield* home.write(`cow/skills/${name}/SKILL.md`, skillText(name, "one")))
        yield* age(`${home.user}/${name}`)
      }
      yield* shown(home)
      for (const folder of [home.user, home.builtin, home.switches]) yield* age(folder)
      yield* shown(home)
      if (watched) for (let question = 0; question < enough; question++) yield* shown(home)
      return yield* shown(home)
    })

    test("of a text, in place, of the same size and with the old time put back", () =>
      withStamps((home) =>
        Effect.gen(function* () {
          yield* settled(home, ["a", "b"])
          for (const word of ["two", "six", "ten"]) {
            const path = yield* home.write("cow/skills/a/SKILL.md", skillText("a", word))
            yield* age(path)
            expect(yield* texts(home)).toEqual([`a: ${word}`, "b: one"])
          }
        })
      ))

    test("of names: new, renamed, replaced by rename and deleted skills, as fast as they come", () =>
      withStamps((home) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          yield* settled(home, ["a"])
          for (let round = 0; round < 40; round++) {
            yield* home.write("cow/skills/b/SKILL.md", skillText("b", `${round}`))
            expect(yield* texts(home)).toEqual(["a: one", `b: ${round}`])
            yield* fs.rename(`${home.user}/b`, `${home.user}/c`)
            expect((yield* shown(home)).map(({ path }) => path)).toEqual([
              `${home.user}/a/SKILL.md`,
              `${home.user}/c/SKILL.md`
            ])
            const next = yield* home.write("next.md", skillText("b", `next ${round}`))
            yield* fs.rename(next, `${home.user}/c/SKILL.md`)
            expect(yield* texts(home)).toEqual(["a: one", `b: next ${round}`])
            yield* fs.remove(`${home.user}/c`, { recursive: true })
            expect(yield* texts(home)).toEqual(["a: one"])
          }
        })
      ))

    test("of a root: one that did not exist, one that goes, and one that comes back", () =>
      withStamps((home) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          expect(yield* settled(home, ["a"])).toHaveLength(1)
          yield* home.write("home/.agents/skills/late/SKILL.md", skillText("late", "d"))
          expect(yield* texts(home)).toEqual(["a: one", "late: d"])
          yield* fs.remove(`${home.root}/home`, { recursive: true })
          expect(yield* texts(home)).toEqual(["a: one"])
          yield* fs.remove(home.user, { recursive: true })
          expect(yield* texts(home)).toEqual([])
          yield* home.write("cow/skills/a/SKILL.md", skillText("a", "back"))
          expect(yield* texts(home)).toEqual(["a: back"])
        })
      ))

    test("deep in a collection, behind a link, and in a folder that had no skill before", () =>
      withStamps((home) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          yield* fs.makeDirectory(`${home.user}/empty/below`, { recursive: true })
          yield* home.write("src/one/SKILL.md", skillText("one", "1"))
          yield* home.write("src/two/SKILL.md", skillText("two", "2"))
          yield* fs.symlink(`${home.root}/src/one`, `${home.user}/link`)
          for (const path of ["src/one/SKILL.md", "src/one", "cow/skills/empty/below", "cow/skills/empty"])
            yield* age(`${home.root}/${path}`)
          yield* settled(home, ["a"])
          yield* home.write("cow/skills/empty/below/SKILL.md", skillText("below", "new"))
          expect(yield* texts(home)).toEqual(["a: one", "below: new", "one: 1"])
          yield* home.write("src/one/SKILL.md", skillText("one", "edited"))
          expect(yield* texts(home)).toEqual(["a: one", "below: new", "one: edited"])
          yield* fs.remove(`${home.user}/link`)
          yield* fs.symlink(`${home.root}/src/two`, `${home.user}/link`)
          expect(yield* texts(home)).toEqual(["a: one", "below: new", "two: 2"])
        })
      ))

    test("of a switch that another process throws, of the trust in a project, and of what a skill requires", () =>
      withStamps((home) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          yield* home.write("work/.claude/skills/p/SKILL.md", skillText("p", "d"))
          const needy = skillText("needy", "d", "metadata: {requires: {bins: [tool], env: [K]}}\n")
          yield* age(yield* home.write("cow/skills/needy/SKILL.md", needy))
          yield* settled(home, ["a"])
          const names = Effect.map(shown(home), (skills) =>
            skills.map(({ available, name }) => `${name}${available ? "" : "?"}`)
          )
          expect(yield* names).toEqual(["a", "needy?", "p"])
          home.trust.value = false
          expect(yield* names).toEqual(["a", "needy?"])
          home.env.K = "x"
          const program = yield* home.write("bin/tool", "#!/bin/sh\n")
          expect(yield* names).toEqual(["a", "needy?"])
          yield* fs.chmod(program, 0o755)
          expect(yield* names).toEqual(["a", "needy"])
          yield* fs.remove(program)
          expect(yield* names).toEqual(["a", "needy?"])
          const table = JSON.parse(yield* fs.readFileString(home.switches))
          table.a.enabled = false
          yield* fs.writeFileString(home.switches, JSON.stringify(table))
          expect(yield* names).toEqual(["needy?"])
        })
      ))

    test("of a text that is written under its other name", () =>
      withStamps((home) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          yield* home.write("src/SKILL.md", skillText("a", "one"))
          yield* fs.makeDirectory(`${home.user}/a`)
          yield* fs.link(`${home.root}/src/SKILL.md`, `${home.user}/a/SKILL.md`)
          for (const path of ["cow/skills/a/SKILL.md", "cow/skills/a"]) yield* age(`${home.root}/${path}`)
          yield* settled(home, ["b"])
          yield* home.write("src/SKILL.md", skillText("a", "two"))
          expect(yield* texts(home)).toEqual(["a: two", "b: one"])
        })
      ))

    test("of the folder that a root lies in, and of the one that a link leads through", () =>
      withStamps((home) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          yield* home.write("src/deep/one/SKILL.md", skillText("one", "1"))
          yield* home.write("other/deep/one/SKILL.md", skillText("one", "2"))
          yield* home.write("home/.claude/skills/c/SKILL.md", skillText("c", "1"))
          yield* home.write("elsewhere/.claude/skills/c/SKILL.md", skillText("c", "2"))
          yield* fs.symlink(`${home.root}/src/deep/one`, `${home.user}/one`)
          for (const path of yield* fs.readDirectory(home.root, { recursive: true }))
            yield* age(`${home.root}/${path}`)
          yield* settled(home, ["a"])
          expect(yield* texts(home)).toEqual(["a: one", "c: 1", "one: 1"])
          yield* fs.rename(`${home.root}/src`, `${home.root}/gone`)
          yield* fs.rename(`${home.root}/other`, `${home.root}/src`)
          expect(yield* texts(home)).toEqual(["a: one", "c: 1", "one: 2"])
          yield* fs.rename(`${home.root}/home`, `${home.root}/away`)
          expect(yield* texts(home)).toEqual(["a: one", "one: 2"])
          yield* fs.rename(`${home.root}/elsewhere`, `${home.root}/home`)
          expect(yield* texts(home)).toEqual(["a: one", "c: 2", "one: 2"])
        })
      ))

    test("of the rights of a file, and of a text that is cut to nothing", () =>
      withStamps((home) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          yield* settled(home, ["a", "b"])
          yield* fs.truncate(`${home.user}/a/SKILL.md`, 0)
          expect(yield* texts(home)).toEqual(["b: one"])
          yield* home.write("cow/skills/a/SKILL.md", skillText("a", "back"))
          expect(yield* texts(home)).toEqual(["a: back", "b: one"])
        })
      ))
  })

describe.if(process.platform === "linux")("a disk that is watched", () => {
  const watches = () =>
    nodeFs.readdirSync("/proc/self/fd").filter((one) => {
      try {
        return nodeFs.readlinkSync(`/proc/self/fd/${one}`).includes("inotify")
      } catch {
        return false // closed since it was listed
      }
    }).length

  test("is looked at only where nothing else tells, and what it takes of the system is given back", async () => {
    const seen: Seen = { stamps: 0 }
    const before = watches()
    await withHome(
      (home) =>
        Effect.gen(function* () {
          for (let at = 0; at < 50; at++) {
            yield* age(yield* home.write(`cow/skills/s${at}/SKILL.md`, skillText(`s${at}`, "d")))
            yield* age(`${home.user}/s${at}`)
          }
          yield* shown(home)
          for (const folder of [home.user, home.builtin, home.switches]) yield* age(folder)
          for (let question = 0; question < 2 + enough; question++) yield* shown(home)
          const first = yield* shown(home)
          seen.stamps = 0
          expect(yield* shown(home)).toBe(first)
          expect(seen.stamps).toBeLessThanOrEqual(10)
          expect(watches()).toBe(before + 1)
          // Something that does not matter: everything is looked at once, and the answer stays.
          yield* home.write("cow/skills/s1/notes.txt", "x")
          seen.stamps = 0
          expect(yield* shown(home)).toBe(first)
          expect(seen.stamps).toBeGreaterThan(50)
          seen.stamps = 0
          expect(yield* shown(home)).toBe(first)
          expect(seen.stamps).toBeLessThanOrEqual(10)
          // An answer that is no more is not watched.
          yield* home.write("cow/skills/s1/SKILL.md", skillText("s1", "e"))
          yield* shown(home)
          expect(watches()).toBe(before)
          for (const path of [`${home.user}/s1/SKILL.md`, home.user, home.switches]) yield* age(path)
          for (let question = 0; question < 2 + enough; question++) yield* shown(home)
          expect(watches()).toBe(before + 1)
        }),
      (settings) => ({ ...settings, openDisk: counting(seen) })
    )
    expect(watches()).toBe(before)
  })
})
