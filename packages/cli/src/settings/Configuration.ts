/**
 * The settings that count for this command: the user's file, then the project's once its folder is trusted.
 * Warnings about them are said once, on stderr.
 */
import { isCovered, type Trust, TrustStore } from "@cow/policy"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as ConfigFile from "./ConfigFile.ts"
import * as Settings from "./Settings.ts"
import { UserHome } from "./UserHome.ts"
import * as Workspace from "./Workspace.ts"

/** Relative to the project folder. */
export const projectConfig = ".cow/config.json"

export class Configuration extends Context.Service<
  Configuration,
  {
    /** Absolute path of the project folder. */
    readonly workspace: string
    readonly settings: Settings.Settings
    readonly user: ConfigFile.ConfigFile
    /** Sets nothing while the folder is not trusted. */
    readonly project: ConfigFile.ConfigFile
    /** How the project folder stood when the command began. */
    readonly trust: Trust
  }
>()("@cow/cli/Configuration") {
  static readonly layer = Layer.effect(
    Configuration,
    Effect.gen(function* () {
      const path = yield* Path.Path
      const { config: user } = yield* UserHome
      const workspace = yield* Workspace.current
      const trust = yield* Effect.flatMap(TrustStore, (store) => store.state(workspace))
      const at = path.join(workspace, projectConfig)
      const project = isCovered(trust, projectConfig) ? yield* ConfigFile.read(at) : ConfigFile.absent(at)
      for (const warning of [...user.warnings, ...project.warnings]) yield* Effect.logWarning(warning)
      const settings = Settings.merge(user.given, project.given)
      return { workspace, settings, user, project, trust }
    })
  )
}
