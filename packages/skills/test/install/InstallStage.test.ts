/** What an install leaves that was killed in the middle, and what the next command makes of it. */
import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import {
  type InstallHome,
  install,
  installer,
  named,
  tree,
  withInstaller,
  writePackage
} from "./InstallHome.ts"

const stageOf = (home: InstallHome) => `${home.user}/.installing-1`

/** Version 1 is there, and version 2 was being put over it. */
const begun = (home: InstallHome, steps: number) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    yield* install(home, yield* writePackage(home, "1"), { trusted: true })
    yield* writePackage(home, "2")
    const stage = stageOf(home)
    yield* fs.makeDirectory(`${stage}/old`, { recursive: true })
    yield* fs.makeDirectory(`${stage}/new`)
    yield* fs.copy(`${home.root}/pkg/tea`, `${stage}/new/tea`)
    const moves = [{ name: "tea", replaces: `${home.user}/tea` }]
    yield* fs.writeFileString(`${stage}/journal.json`, JSON.stringify(moves))
    if (steps > 0) yield* fs.rename(`${home.user}/tea`, `${stage}/old/tea`)
    if (steps > 1) yield* fs.rename(`${stage}/new/tea`, `${home.user}/tea`)
  })

const noTrace = (home: InstallHome) =>
  Effect.map(tree(home.user), (files) =>
    expect(files.filter(([path]) => /installing|removing|\.lock$/.test(path))).toEqual([])
  )

describe("an install that was killed", () => {
  test.each([0, 1, 2])("after %d of its moves is taken back by the next command", (steps) =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* begun(home, steps)
        yield* install(home, yield* writePackage(home, "1", "cup"))
        expect(yield* named(home, "tea")).toMatchObject({ description: "Version 1.", trusted: true })
        yield* noTrace(home)
      })
    )
  )

  test("is taken back before an update and before a removal as well", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* begun(home, 1)
        const update = { workspace: home.workspace, force: false }
        const done = yield* installer((service) => service.update(["tea"], update))
        expect(done.map(({ changed }) => changed)).toEqual([true])
        yield* noTrace(home)
        yield* Effect.flatMap(FileSystem.FileSystem, (fs) =>
          fs.remove(`${home.user}/tea`, { recursive: true })
        )
      })
    ))

  test("of a new skill leaves none", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const stage = stageOf(home)
        yield* fs.makeDirectory(`${stage}/old`, { recursive: true })
        yield* fs.makeDirectory(`${stage}/new`)
        yield* fs.writeFileString(`${stage}/journal.json`, JSON.stringify([{ name: "tea", replaces: null }]))
        yield* home.write("cow/skills/tea/SKILL.md", "half")
        yield* install(home, yield* writePackage(home, "2"))
        expect(yield* named(home, "tea")).toMatchObject({ description: "Version 2." })
        yield* noTrace(home)
      })
    ))

  test("while it was written is tidied away after a minute, and left to its process until then", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        for (const name of [".installing-a", ".installing-b", ".removing-a", ".removing-b"])
          yield* home.write(`cow/skills/${name}/x`, "x")
        for (const name of [".installing-a", ".removing-a"])
          yield* fs.utimes(`${home.user}/${name}`, 1e6, 1e6)
        yield* install(home, yield* writePackage(home, "1"))
        const left = (yield* fs.readDirectory(home.user)).filter((name) => name.startsWith("."))
        expect(left.sort()).toEqual([".installing-b", ".removing-b"])
      })
    ))
})

describe("two installs at once", () => {
  test("of one name by force leave one of them whole, with the lock file's digest", () =>
    withInstaller((home) =>
      Effect.gen(function* () {
        yield* install(home, yield* writePackage(home, "0"))
        const folders = yield* Effect.forEach(["1", "2", "3"], (version) =>
          Effect.gen(function* () {
            const text = `---\nname: tea\ndescription: Version ${version}.\n---\n`
            yield* home.write(`pkg${version}/tea/SKILL.md`, text)
            return `${home.root}/pkg${version}/tea`
          })
        )
        yield* Effect.forEach(folders, (folder) => install(home, folder, { force: true }), {
          concurrency: "unbounded"
        })
        const info = yield* Effect.mapError(
          installer((service) => service.info("tea", home.workspace)),
          (error) => error
        )
        const fs = yield* FileSystem.FileSystem
        const lock = JSON.parse(yield* fs.readFileString(`${home.user}/skills-lock.json`))
        expect(info.digest).toBe(lock.skills.tea.digest)
        expect(info.installed?.digest).toBe(lock.skills.tea.digest)
        yield* noTrace(home)
      })
    ))
})
