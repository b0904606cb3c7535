import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as SkillSwitches from "../../src/switches/SkillSwitches.ts"
import type { SwitchTable } from "../../src/switches/SwitchTable.ts"
import { withHome } from "../SkillHome.ts"

const add =
  (name: string) =>
  (table: SwitchTable): SwitchTable =>
    new Map(table).set(name, { name, description: "", source: "user", enabled: true, category: "skill" })

describe("skills_config.json", () => {
  test("is written when its content changes and left alone when not", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const switches = yield* SkillSwitches.make(home.switches)
        yield* switches.update(add("a"))
        expect(Object.keys(JSON.parse(yield* fs.readFileString(home.switches)))).toEqual(["a"])
        yield* fs.utimes(home.switches, 1_000_000, 1_000_000)
        const before = yield* fs.stat(home.switches)
        yield* switches.update(add("a"))
        expect((yield* fs.stat(home.switches)).mtime).toEqual(before.mtime)
        expect(yield* fs.readDirectory(home.user)).toEqual(["skills_config.json"])
      })
    ))

  test("a broken file is kept beside it and costs one warning", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const switches = yield* SkillSwitches.make(home.switches)
        for (const broken of ['{"a": {"ena', "[1]"]) {
          yield* fs.writeFileString(home.switches, broken)
          const { diagnostics } = yield* switches.update(add("b"))
          expect(diagnostics.map(({ severity }) => severity)).toEqual(["warning"])
          expect(yield* fs.readFileString(`${home.switches}.bak`)).toBe(broken)
          expect(Object.keys(JSON.parse(yield* fs.readFileString(home.switches)))).toEqual(["b"])
        }
      })
    ))

  test("changes made at once through several openings are all in the file", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const names = Array.from({ length: 12 }, (_, at) => `s${String(at).padStart(2, "0")}`)
        yield* Effect.forEach(
          names,
          (name) =>
            Effect.flatMap(SkillSwitches.make(home.switches), (switches) => switches.update(add(name))),
          { concurrency: "unbounded" }
        )
        expect(Object.keys(JSON.parse(yield* fs.readFileString(home.switches)))).toEqual(names)
      })
    ))

  test("a lock that a dead process left is broken", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(`${home.switches}.lock`, "")
        yield* fs.utimes(`${home.switches}.lock`, 1_000_000, 1_000_000)
        const switches = yield* SkillSwitches.make(home.switches)
        expect([...(yield* switches.update(add("a"))).table.keys()]).toEqual(["a"])
        expect(yield* fs.exists(`${home.switches}.lock`)).toBe(false)
      })
    ))

  test("a file that is a link stays one, and keeps its mode", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const real = yield* home.write("elsewhere/switches.json", "{}")
        yield* fs.chmod(real, 0o600)
        yield* fs.symlink(real, home.switches)
        const switches = yield* SkillSwitches.make(home.switches)
        yield* switches.update(add("a"))
        expect(yield* fs.readLink(home.switches)).toBe(real)
        expect(Object.keys(JSON.parse(yield* fs.readFileString(real)))).toEqual(["a"])
        expect((yield* fs.stat(real)).mode & 0o777).toBe(0o600)
      })
    ))

  test("a file that cannot be read is an error, never an empty table", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        yield* fs.makeDirectory(home.switches)
        const switches = yield* SkillSwitches.make(home.switches)
        const error = yield* Effect.flip(switches.update(add("a")))
        expect(error).toMatchObject({ _tag: "SkillFileUnwritable", path: home.switches })
      })
    ))
})
