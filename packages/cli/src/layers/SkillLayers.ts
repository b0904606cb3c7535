/** The skills package with the values it takes from this process. */
import { SkillAssignments, SkillFolders } from "@cow/core"
import { AssignedSkill, SkillDiskNode, SkillDownloads, SkillInstaller, SkillLibrary } from "@cow/skills"
import { SkillAssignmentsSqlite } from "@cow/store"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BundledSkills from "../settings/BundledSkills.ts"
import { Environment } from "../settings/Environment.ts"
import * as ProjectTrust from "../settings/ProjectTrust.ts"
import { UserHome } from "../settings/UserHome.ts"

/** What a skill may name in commands that have no table of tools, such as `cow skill list`. */
const builtinTools = ["read", "write", "edit", "ls", "bash", "search_files", "web_fetch", "todo"]

/** `SkillLibrary` over core's `SkillFolders`, and who has which skill. */
export const library = Layer.unwrap(
  Effect.gen(function* () {
    const { home, platform, variables } = yield* Environment
    const { paths } = yield* UserHome
    const assignments = yield* SkillAssignments
    return SkillLibrary.layer({
      builtinFolder: yield* BundledSkills.folder,
      cowHome: paths.folder,
      home,
      platform,
      openDisk: SkillDiskNode.open,
      toolNames: builtinTools,
      env: (name) => variables[name],
      programFolders: () =>
        (variables.PATH ?? "").split(platform === "win32" ? ";" : ":").filter((one) => one !== ""),
      projectTrusted: yield* ProjectTrust.make,
      permitted: (persona) =>
        AssignedSkill.forPersona(assignments, persona).pipe(
          Effect.catch(({ message }) =>
            Effect.as(
              Effect.logWarning(`the assignments of skills cannot be read: ${message}`),
              AssignedSkill.isAssigned([])
            )
          )
        )
    })
  })
).pipe(Layer.provideMerge(SkillFolders.layer), Layer.provideMerge(SkillAssignmentsSqlite.layer))

/** `SkillInstaller` over the library. */
export const installer = Layer.unwrap(
  Effect.map(UserHome, ({ paths }) => SkillInstaller.layer(paths.folder))
).pipe(Layer.provide(SkillDownloads.layer))
