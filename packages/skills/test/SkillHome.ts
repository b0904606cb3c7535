/** A machine of its own for one test: a home, a workspace and bundled skills in a temporary folder. */
import { PromptSections, SkillFolders, UnknownToolAdvice } from "@cow/core"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { SkillAdvice, SkillLibrary, SkillSection, type SkillSettings } from "../src/index.ts"

const services = Layer.mergeAll(
  BunServices.layer,
  SkillFolders.layer,
  PromptSections.layer,
  UnknownToolAdvice.layer
)

export interface SkillHome {
  readonly root: string
  readonly user: string
  readonly builtin: string
  readonly workspace: string
  readonly switches: string
  readonly env: Record<string, string>
  readonly trust: { value: boolean }
  /** Writes a file below the root, folders included; gives its absolute path. */
  readonly write: (
    file: string,
    text: string | Uint8Array
  ) => Effect.Effect<string, unknown, FileSystem.FileSystem>
  readonly settings: SkillSettings
}

export const skillText = (name: string, description: string, more = "", body = "# Body\n"): string =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n${body}`

const makeHome = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "cow-skills-" }))
  const at = (...parts: Array<string>) => path.join(root, ...parts)
  for (const folder of ["cow/skills", "builtin", "work", "bin"])
    yield* fs.makeDirectory(at(folder), { recursive: true })
  const env: Record<string, string> = {}
  const trust = { value: true }
  return {
    root,
    user: at("cow/skills"),
    builtin: at("builtin"),
    workspace: at("work"),
    switches: at("cow/skills/skills_config.json"),
    env,
    trust,
    write: (file, text) =>
      Effect.gen(function* () {
        const target = at(file)
        yield* fs.makeDirectory(path.dirname(target), { recursive: true })
        yield* typeof text === "string" ? fs.writeFileString(target, text) : fs.writeFile(target, text)
        return target
      }),
    settings: {
      builtinFolder: at("builtin"),
      cowHome: at("cow"),
      home: at("home"),
      platform: "linux",
      env: (name) => env[name],
      programFolders: () => [at("bin")],
      projectTrusted: () => Effect.sync(() => trust.value)
    }
  } satisfies SkillHome
})

export type Services =
  | SkillLibrary
  | SkillFolders
  | PromptSections
  | UnknownToolAdvice
  | BunServices.BunServices
  | import("effect/Scope").Scope

/** Runs a test with everything registered, then removes its folder. */
export const withHome = (
  use: (home: SkillHome) => Effect.Effect<void, unknown, Services>,
  change: (settings: SkillSettings, home: SkillHome) => SkillSettings = (settings) => settings
): Promise<void> =>
  Effect.gen(function* () {
    const home = yield* makeHome
    const library = SkillLibrary.layer(change(home.settings, home))
    const parts = Layer.mergeAll(SkillSection.layer, SkillAdvice.layer).pipe(Layer.provideMerge(library))
    yield* Effect.provide(use(home), parts)
  }).pipe(Effect.scoped, Effect.provide(services), Effect.runPromise)
