/** The skills in the root folder `skills/`: content, tested as it is shipped. */
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"
import { SkillLibrary } from "../src/index.ts"
import { read } from "../src/manifest/SkillManifest.ts"
import { type SkillHome, withHome } from "./SkillHome.ts"

// Scripts are started as programs of their own.
setDefaultTimeout(60_000)

const bundled = new URL("../../../skills", import.meta.url).pathname
const names = ["knowledge-wiki", "mcp-setup", "skill-creator"]
const withFiles = (use: (fs: FileSystem.FileSystem) => Effect.Effect<void, unknown>) =>
  Effect.runPromise(Effect.provide(Effect.flatMap(FileSystem.FileSystem, use), BunServices.layer))

describe("the bundled skills", () => {
  test("are listed, available and without a diagnostic", () =>
    withHome(
      (home) =>
        Effect.gen(function* () {
          const { skills, diagnostics } = yield* Effect.flatMap(SkillLibrary, (library) =>
            library.list(home.workspace)
          )
          expect(skills.map(({ name }) => name)).toEqual(names)
          expect(
            skills.every(({ available, enabled, source }) => available && enabled && source === "builtin")
          ).toBe(true)
          expect(diagnostics).toEqual([])
        }),
      (settings) => ({ ...settings, builtinFolder: bundled })
    ))

  test("are valid under the open specification and name only files that exist", () =>
    withFiles((fs) =>
      Effect.gen(function* () {
        for (const name of names) {
          const text = yield* fs.readFileString(`${bundled}/${name}/SKILL.md`)
          const manifest = yield* read(text, name)
          expect(manifest.name).toBe(name)
          expect(manifest.description.length).toBeLessThanOrEqual(1024)
          expect(manifest.description).toContain("Use when ")
          expect(manifest.warnings).toEqual([])
          for (const [, file] of text.matchAll(/(?:^|[\s`(])((?:scripts|references|assets)\/[\w./-]*\w)/gm))
            expect([file, yield* fs.exists(`${bundled}/${name}/${file}`)]).toEqual([file, true])
          for (const file of yield* fs.readDirectory(`${bundled}/${name}`, { recursive: true })) {
            const isFile = (yield* fs.stat(`${bundled}/${name}/${file}`)).type === "File"
            if (isFile && file !== "SKILL.md") expect(text).toContain(file)
          }
        }
      })
    ))
})

const script = `${bundled}/skill-creator/scripts/init_skill.py`
const init = Effect.fnUntraced(function* (home: SkillHome, ...args: ReadonlyArray<string>) {
  const options = { env: { COW_HOME: `${home.root}/cow`, PYTHONDONTWRITEBYTECODE: "1" }, extendEnv: true }
  const child = yield* ChildProcess.make("python3", [script, ...args], options)
  const text = (stream: typeof child.stdout) => Stream.mkString(Stream.decodeText(stream))
  const [stdout, stderr, exit] = yield* Effect.all([text(child.stdout), text(child.stderr), child.exitCode], {
    concurrency: "unbounded"
  })
  return { stdout, stderr, exit: Number(exit) }
}, Effect.scoped)

describe("init_skill.py", () => {
  test("writes a skeleton that loads without a warning and is there at the next look", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const description = `Says "x": y. Use when 'z' & <é>.`
        const { stdout, stderr, exit } = yield* init(home, "my-skill", "--description", description)
        expect([stdout, stderr, exit]).toEqual([`${home.user}/my-skill/SKILL.md\n`, "", 0])
        yield* init(home, "with-default")
        const { skills, diagnostics } = yield* Effect.flatMap(SkillLibrary, (library) =>
          library.list(home.workspace)
        )
        expect(skills).toMatchObject([
          { name: "my-skill", description, enabled: true, available: true, source: "user" },
          { name: "with-default", enabled: true }
        ])
        expect(diagnostics).toEqual([])
      })
    ))

  test("refuses a bad name or description and an existing folder with one line, and writes nothing", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        yield* fs.makeDirectory(`${home.user}/taken`)
        const refusals: ReadonlyArray<ReadonlyArray<string>> = [
          ["Bad Name"],
          ["../up"],
          ["a--b"],
          ["a_b"],
          [""],
          ["x\n"],
          ["a".repeat(65)],
          ["taken"],
          ["fine", "--description", " "],
          ["fine", "--description", "d".repeat(1025)]
        ]
        for (const args of refusals) {
          const { stdout, stderr, exit } = yield* init(home, ...args)
          expect([args, stdout, exit]).toEqual([args, "", 1])
          expect(stderr).toMatch(/^init_skill: [^\n]+\n$/)
        }
        expect(yield* fs.readDirectory(home.user, { recursive: true })).toEqual(["taken"])
        expect(yield* fs.readDirectory(home.root)).not.toContain("up")
      })
    ))

  test("takes a name of 64 characters", () =>
    withHome((home) => Effect.map(init(home, "a".repeat(64)), ({ exit }) => expect(exit).toBe(0))))
})
