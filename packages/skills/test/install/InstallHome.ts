/** A `SkillHome` with an installer; addresses of the internet are answered from a table of the test. */
import { SkillAssignments } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import {
  AssignedSkill,
  type InstallOptions,
  type InstallRefused,
  SkillDiskNode,
  SkillDownloads,
  SkillInstaller,
  SkillLibrary
} from "../../src/index.ts"
import { type SkillHome, skillText, withHome } from "../SkillHome.ts"

export interface InstallHome extends SkillHome {
  /** Body by address. */
  readonly internet: Map<string, string | Uint8Array>
  readonly options: InstallOptions
}

type Services = SkillInstaller | SkillAssignments | SkillLibrary | FileSystem.FileSystem

export const withInstaller = (
  use: (home: InstallHome) => Effect.Effect<void, unknown, Services>
): Promise<void> => {
  const assignments = Effect.runSync(
    Effect.scoped(Effect.map(Layer.build(SkillAssignments.layerMemory), (context) => context))
  )
  const known = Effect.runSync(Effect.provide(SkillAssignments, assignments))
  return withHome(
    (home) => {
      const internet = new Map<string, string | Uint8Array>()
      const downloads = SkillDownloads.layerOver({
        addressesOf: async () => ["93.184.216.34"],
        send: async ({ url }) => {
          const body = internet.get(url)
          return body === undefined ? new Response(null, { status: 404 }) : new Response(body as string)
        }
      })
      const options: InstallOptions = {
        workspace: home.workspace,
        force: false,
        enabled: true,
        trusted: false,
        assign: ["default"]
      }
      const layers = SkillInstaller.layer(home.settings.cowHome).pipe(
        Layer.provide(downloads),
        Layer.provideMerge(Layer.succeed(SkillAssignments, known))
      )
      return Effect.provide(use({ ...home, internet, options }), layers) as Effect.Effect<
        void,
        unknown,
        never
      >
    },
    (settings) => ({
      ...settings,
      openDisk: SkillDiskNode.open,
      permitted: (persona) => Effect.orDie(AssignedSkill.forPersona(known, persona))
    })
  )
}

export const installer = <A, E>(use: (service: SkillInstaller["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(SkillInstaller, use)

/** With what was left out. */
export const installAny = (home: InstallHome, source: string, more: Partial<InstallHome["options"]> = {}) =>
  installer((service) => service.install(source, { ...home.options, ...more }))

export const install = (home: InstallHome, source: string, more: Partial<InstallHome["options"]> = {}) =>
  Effect.map(installAny(home, source, more), ({ installed }) => installed)

export const refused = (effect: Effect.Effect<unknown, InstallRefused, SkillInstaller>) =>
  Effect.map(Effect.flip(effect), ({ code }) => code)

export const named = (home: InstallHome, name: string) =>
  Effect.map(
    Effect.flatMap(SkillLibrary, (library) => library.list(home.workspace)),
    ({ skills }) => skills.find((skill) => skill.name === name)
  )

/** Every file below a folder with its content, what a failed install must leave alone. */
export const tree = (folder: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const paths = (yield* fs.readDirectory(folder, { recursive: true })).sort()
    return yield* Effect.forEach(paths, (path) =>
      Effect.map(Effect.option(fs.readFileString(`${folder}/${path}`)), (text) => [path, text] as const)
    )
  })

export const readOwn = (home: InstallHome, path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(`${home.user}/${path}`))

export const writePackage = (home: InstallHome, version: string, name = "tea") =>
  Effect.gen(function* () {
    yield* home.write(`pkg/${name}/SKILL.md`, skillText(name, `Version ${version}.`))
    yield* home.write(`pkg/${name}/scripts/run.sh`, `touch ${home.root}/MARKER_RAN\n`)
    return `${home.root}/pkg/${name}`
  })
