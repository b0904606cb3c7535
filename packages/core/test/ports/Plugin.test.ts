import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  Models,
  Plugin,
  PromptSections,
  SkillFolders,
  ToolManager,
  UnknownToolAdvice
} from "../../src/index.ts"
import { someTool, plugin as source } from "../SomeTool.ts"

const given = { id: "acme", version: "1.0.0", apiVersion: Plugin.apiVersion, layer: Layer.empty }

describe("make", () => {
  test("gives the plugin back as it is", () => {
    expect(Plugin.make(given)).toBe(given)
    expect(Plugin.make({ ...given, apiVersion: 99 }).apiVersion).toBe(99)
  })

  test("throws for an id that cannot be a name, and says which may be", () => {
    for (const id of ["", "Acme", "a b", "../a", "-a", "a".repeat(65)])
      expect(() => Plugin.make({ ...given, id })).toThrow(`plugin id "${id}" must match`)
    expect(Plugin.make({ ...given, id: "a".repeat(64) }).id.length).toBe(64)
  })

  test("throws for an apiVersion that is no whole number", () => {
    for (const apiVersion of [1.5, Number.NaN, "1", undefined])
      expect(() => Plugin.make({ ...given, apiVersion: apiVersion as number })).toThrow(
        "plugin acme: apiVersion must be a whole number"
      )
  })
})

test("closing a plugin's layer takes back all it registered, and its tools can be had again", () =>
  Effect.gen(function* () {
    const manager = yield* ToolManager
    const folders = yield* SkillFolders
    const sections = yield* PromptSections
    const acme = Plugin.make({
      ...given,
      layer: Layer.effectDiscard(
        Effect.gen(function* () {
          yield* manager.register(source("acme"), [someTool("paint")])
          yield* folders.register({ plugin: "acme", path: "/acme/skills" })
          yield* sections.register({
            id: "acme",
            slot: "extra",
            stable: true,
            render: () => Effect.succeed("Acme is here.")
          })
        })
      )
    })
    const context = { persona: "default", permission: "read-only", workspace: "/w", tools: [] } as const
    const seen = Effect.all([
      Effect.map(manager.snapshot, ({ tools }) => tools.map(({ tool }) => tool.name)),
      Effect.map(folders.list, (list) => list.map(({ path }) => path)),
      Effect.map(sections.render(context), (list) => list.map(({ text }) => text))
    ])
    for (const _ of [1, 2]) {
      expect(yield* Effect.provide(seen, acme.layer)).toEqual([
        ["paint"],
        ["/acme/skills"],
        ["Acme is here."]
      ])
      expect(yield* seen).toEqual([[], [], []])
    }
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        ToolManager.layer,
        PromptSections.layer,
        UnknownToolAdvice.layer,
        SkillFolders.layer,
        Models.layer
      )
    ),
    Effect.runPromise
  ))
