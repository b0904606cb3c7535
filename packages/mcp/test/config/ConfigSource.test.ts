import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { rmSync, utimesSync } from "node:fs"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as ConfigSource from "../../src/config/ConfigSource.ts"
import { Home } from "../Fixture.ts"

let home: Home
beforeEach(() => {
  home = new Home()
})
afterEach(() => home.remove())

/** A source over real files, and how many were read since it was last asked. */
const run = (
  use: (
    check: Effect.Effect<ReadonlyArray<string> | "unchanged">,
    reads: () => number
  ) => Effect.Effect<void>,
  projectFile?: string
) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      let count = 0
      const counting = {
        ...fs,
        readFileString: (...given: Parameters<typeof fs.readFileString>) =>
          Effect.suspend(() => {
            count++
            return fs.readFileString(...given)
          })
      }
      const source = ConfigSource.make(counting, {
        userFile: home.file,
        projectFile,
        projectTrusted: true,
        isProjectTrusted: Effect.succeed(true),
        configServers: { fallback: { command: "f" } },
        configReader: undefined
      })
      const check = Effect.map(
        source.check,
        Option.match({
          onNone: () => "unchanged" as const,
          onSome: ({ servers }) => servers.map(({ name }) => name)
        })
      )
      yield* use(check, () => {
        const now = count
        count = 0
        return now
      })
    }).pipe(Effect.provide(BunServices.layer))
  )

/** Long enough for the file system's clock to move on. */
const aWhile = Effect.sleep(40)

describe("a look at the configuration", () => {
  test("opens no file where none has changed", () =>
    run(
      (check, reads) =>
        Effect.gen(function* () {
          home.write({ a: { command: "c" } })
          yield* aWhile
          expect(yield* check).toEqual(["a"])
          reads()
          for (let at = 0; at < 50; at++) expect(yield* check).toBe("unchanged")
          expect(reads()).toBe(0)
        }),
      "/nowhere/.mcp.json"
    ))

  test("reads a touched file once", () =>
    run((check, reads) =>
      Effect.gen(function* () {
        home.write({ a: { command: "c" } })
        yield* aWhile
        yield* check
        utimesSync(home.file, 7, 7)
        yield* aWhile
        reads()
        for (let at = 0; at < 5; at++) expect(yield* check).toBe("unchanged")
        expect(reads()).toBe(1)
      })
    ))

  test("sees every change, of the same size in the same moment too", () =>
    run((check) =>
      Effect.gen(function* () {
        for (let at = 0; at < 200; at++) {
          const name = `s${at % 10}`
          home.write({ [name]: { command: "c" } })
          expect(yield* check).toEqual([name])
        }
      })
    ))

  test("keeps what was said when the file breaks, and takes the fallback when it goes", () =>
    run((check) =>
      Effect.gen(function* () {
        home.write({ a: { command: "c" } })
        expect(yield* check).toEqual(["a"])
        for (const broken of ["{", "", "5", '{"mcpServers": "x"}']) {
          home.write(broken)
          expect(yield* check).toBe("unchanged")
        }
        rmSync(home.file)
        expect(yield* check).toEqual(["fallback"])
        expect(yield* check).toBe("unchanged")
        home.write({})
        expect(yield* check).toEqual([])
      })
    ))

  test("takes the fallback for a file that is broken from the start, until it is good", () =>
    run((check) =>
      Effect.gen(function* () {
        home.write("{")
        expect(yield* check).toEqual(["fallback"])
        expect(yield* check).toBe("unchanged")
        home.write({ a: { command: "c" } })
        expect(yield* check).toEqual(["a"])
      })
    ))
})

test("a name that is in the user's servers and in a trusted project's is the project's, and a warning names both", async () => {
  home.write({ x: { command: "mine" } })
  const projectFile = `${home.dir}/project.json`
  const sourceOf = (projectTrusted: boolean) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      yield* fs.writeFileString(projectFile, '{"x": {"command": "theirs"}}')
      const source = ConfigSource.make(fs, {
        userFile: home.file,
        projectFile,
        projectTrusted,
        isProjectTrusted: Effect.succeed(projectTrusted),
        configServers: { x: { command: "config" } },
        configReader: undefined
      })
      const { diagnostics, servers } = yield* source.read
      return [servers.map(({ written }) => written), diagnostics.map(({ message }) => message)]
    }).pipe(Effect.provide(BunServices.layer), Effect.runPromise)
  const both = `server "x" is in ${home.file} and in ${projectFile}`
  expect(await sourceOf(true)).toEqual([[{ command: "theirs" }], [`${both}: ${projectFile} counts`]])
  expect(await sourceOf(false)).toEqual([[{ command: "mine" }], [`${both}: ${home.file} counts`]])
  rmSync(home.file)
  expect(await sourceOf(false)).toEqual([
    [{ command: "config" }],
    [`server "x" is in config.json: mcp_servers and in ${projectFile}: config.json: mcp_servers counts`]
  ])
})
