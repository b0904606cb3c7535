/** The skills package with the values it takes from this process. */
import { SkillFolders } from "@cow/core"
import { TrustStore } from "@cow/policy"
import { SkillLibrary } from "@cow/skills"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BundledSkills from "./BundledSkills.ts"
import { Environment } from "./Environment.ts"
import { UserHome } from "./UserHome.ts"

/** `SkillLibrary` over core's `SkillFolders`. */
export const library = Layer.unwrap(
  Effect.gen(function* () {
    const { home, platform, variables } = yield* Environment
    const { paths } = yield* UserHome
    const trust = yield* TrustStore
    return SkillLibrary.layer({
      builtinFolder: yield* BundledSkills.folder,
      cowHome: paths.folder,
      home,
      platform,
      env: (name) => variables[name],
      programFolders: () =>
        (variables.PATH ?? "").split(platform === "win32" ? ";" : ":").filter((one) => one !== ""),
      projectTrusted: (workspace) =>
        trust
          .isTrusted(workspace)
          .pipe(
            Effect.catch((error) =>
              Effect.as(Effect.logWarning(`the project counts as untrusted: ${error.message}`), false)
            )
          )
    })
  })
).pipe(Layer.provideMerge(SkillFolders.layer))
