/** A `SkillHome` with an installer; addresses of the internet are answered from a table of the test. */

import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import {
  type InstallOptions,
  isAssigned,
  SkillAssignments,
  SkillDownloads,
  SkillInstaller,
  type SkillLibrary
} from "../src/index.ts"
import { type SkillHome, withHome } from "./SkillHome.ts"

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
      permitted: (persona, { installed, name }) =>
        known.of(name).pipe(
          Effect.map((overrides) => isAssigned(overrides, persona, installed)),
          Effect.orDie
        )
    })
  )
}
