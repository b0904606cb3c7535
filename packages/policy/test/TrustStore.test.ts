import { describe, expect, test } from "bun:test"
import { TrustRecords } from "@cow/core"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type * as Scope from "effect/Scope"
import { TrustStore } from "../src/index.ts"

type Services = TrustStore | FileSystem.FileSystem | Path.Path | Scope.Scope

/** Runs with a project folder that holds these files. */
const inProject = (
  files: Record<string, string>,
  body: (folder: string) => Effect.Effect<void, unknown, Services>,
  records = TrustRecords.layerMemory
) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
    for (const [name, text] of Object.entries(files)) yield* put(folder, name, text)
    yield* body(folder)
  }).pipe(
    Effect.scoped,
    Effect.provide(TrustStore.layer),
    Effect.provide(records),
    Effect.provide(BunServices.layer),
    Effect.runPromise
  )

const put = Effect.fnUntraced(function* (folder: string, name: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(`${folder}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true })
  yield* fs.writeFileString(`${folder}/${name}`, text)
})

const project = {
  ".mcp.json": "{}",
  ".cow/config.json": "{}",
  ".cow/skills/a/SKILL.md": "a",
  ".claude/skills/b/SKILL.md": "b",
  "AGENTS.md": "text"
}

describe("TrustStore", () => {
  test("a folder that holds nothing to trust asks for no record and is not called trusted", () =>
    inProject(
      { "AGENTS.md": "text" },
      Effect.fnUntraced(function* (folder) {
        const trust = yield* TrustStore
        expect(yield* trust.state(folder)).toEqual({ _tag: "Empty" })
        expect(yield* trust.isTrusted(folder)).toBe(false)
      }),
      // Whatever is asked of it is a defect.
      Layer.mock(TrustRecords, {})
    ))

  test("a folder is untrusted until it is trusted, under whatever path it is reached", () =>
    inProject(
      project,
      Effect.fnUntraced(function* (folder) {
        const fs = yield* FileSystem.FileSystem
        const trust = yield* TrustStore
        expect((yield* trust.state(folder))._tag).toBe("Untrusted")
        expect(yield* trust.trust(folder)).toEqual([
          ".mcp.json",
          ".cow/config.json",
          ".cow/skills/a",
          ".claude/skills/b"
        ])
        expect(yield* trust.isTrusted(folder)).toBe(true)
        const link = `${yield* fs.makeTempDirectoryScoped()}/link`
        yield* fs.symlink(folder, link)
        expect(yield* trust.isTrusted(link)).toBe(true)
        expect(yield* trust.list).toEqual([folder])
      })
    ))

  test.each([
    [".mcp.json", ".mcp.json"],
    [".cow/config.json", ".cow/config.json"],
    [".cow/skills/a/SKILL.md", ".cow/skills/a"],
    [".cow/skills/a/scripts/new.sh", ".cow/skills/a"],
    [".agents/skills/new/SKILL.md", ".agents/skills/new"]
  ])("after a change of %s only %s is untrusted, until the folder is trusted again", (file, item) =>
    inProject(
      project,
      Effect.fnUntraced(function* (folder) {
        const trust = yield* TrustStore
        yield* trust.trust(folder)
        yield* put(folder, file, "changed")
        expect(yield* trust.state(folder)).toMatchObject({ _tag: "Changed", changed: [item] })
        expect(yield* trust.isTrusted(folder)).toBe(false)
        expect(yield* trust.covers(folder, item)).toBe(false)
        expect(yield* trust.covers(folder, ".claude/skills/b")).toBe(true)
        yield* trust.trust(folder)
        expect(yield* trust.isTrusted(folder)).toBe(true)
      })
    )
  )

  test("what changes back to the trusted bytes is trusted again, and other files do not matter", () =>
    inProject(
      project,
      Effect.fnUntraced(function* (folder) {
        const trust = yield* TrustStore
        yield* trust.trust(folder)
        yield* put(folder, "AGENTS.md", "other")
        expect(yield* trust.isTrusted(folder)).toBe(true)
        yield* put(folder, ".mcp.json", "other")
        expect(yield* trust.isTrusted(folder)).toBe(false)
        yield* put(folder, ".mcp.json", "{}")
        expect(yield* trust.isTrusted(folder)).toBe(true)
      })
    ))

  test("a skill reached through a link counts by its content, and a cycle of links ends", () =>
    inProject(
      { "elsewhere/c/SKILL.md": "c", ".cow/skills/a/SKILL.md": "a" },
      Effect.fnUntraced(function* (folder) {
        const fs = yield* FileSystem.FileSystem
        const trust = yield* TrustStore
        yield* fs.symlink(`${folder}/elsewhere/c`, `${folder}/.cow/skills/c`)
        yield* fs.symlink(`${folder}/.cow/skills/a`, `${folder}/.cow/skills/a/loop`)
        yield* trust.trust(folder)
        expect(yield* trust.isTrusted(folder)).toBe(true)
        yield* put(folder, "elsewhere/c/SKILL.md", "changed")
        expect(yield* trust.state(folder)).toMatchObject({ changed: [".cow/skills/c"] })
      })
    ))

  test("a folder that is not there is an error that names it", () =>
    inProject(
      {},
      Effect.fnUntraced(function* (folder) {
        const trust = yield* TrustStore
        const error = yield* Effect.flip(trust.state(`${folder}/none`))
        expect(error._tag).toBe("ProjectUnreadable")
        expect(error.message).toContain(`${folder}/none`)
      })
    ))
})
