/** What the application hands to the skills package as plain values. Nothing here is read from a file or a variable. */
import type * as Effect from "effect/Effect"
import type { SkillSource } from "./Skill.ts"
import type { MachineSettings } from "./SkillRequirements.ts"

/** Names of skills that a run is limited to, nested as they come; none at all: no limit. */
export type SkillLimit = ReadonlyArray<string | SkillLimit>

export interface SkillSettings extends MachineSettings {
  /** Absolute path of the bundled skills. */
  readonly builtinFolder: string
  /** Absolute path of `COW_HOME`. */
  readonly cowHome: string
  /** Absolute path of the user's home folder. */
  readonly home: string
  /** Asked at every listing, so that `cow trust` counts at once. */
  readonly projectTrusted: (workspace: string) => Effect.Effect<boolean>
  /**
   * The capability `skill/<name>` of a persona; absent: everyone has all. Where nothing is stored for it, an
   * `installed` skill is nobody's and any other is everyone's.
   */
  readonly permitted?: (
    persona: string,
    skill: { readonly name: string; readonly source: SkillSource; readonly installed: boolean }
  ) => Effect.Effect<boolean>
  readonly limit?: SkillLimit
  /** Names of tools that count as there while no table of tools is known (`SkillLibrary.layerTools`). */
  readonly toolNames?: ReadonlyArray<string>
}
