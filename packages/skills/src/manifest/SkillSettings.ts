/** What the application hands to the skills package as plain values. Nothing here is read from a file or a variable. */
import type * as Effect from "effect/Effect"
import type { OpenDisk } from "../discovery/SkillDisk.ts"
import type { MachineSettings } from "./SkillRequirements.ts"

/** Names of skills that a run is limited to, nested as they come; none at all: no limit. */
export type SkillLimit = ReadonlyArray<string | SkillLimit>

/**
 * What of a project is trusted: all, nothing, or these entries of its folders of skills as they are now, by path below
 * the project folder: `.cow/skills/tea`.
 */
export type ProjectTrust = boolean | ReadonlySet<string>

export interface PermittedSkill {
  readonly name: string
  readonly installed: boolean
}

export interface SkillSettings extends MachineSettings {
  /** Absolute path of the bundled skills. */
  readonly builtinFolder: string
  /** Absolute path of `COW_HOME`. */
  readonly cowHome: string
  /** Absolute path of the user's home folder. */
  readonly home: string
  /** Asked at every listing, so that `cow trust` counts at once. */
  readonly projectTrusted: (workspace: string) => Effect.Effect<ProjectTrust>
  /**
   * The capability `skill/<name>` of a persona, asked once a listing; absent: everyone has all. Where nothing is stored
   * for it, an `installed` skill is nobody's and any other is everyone's.
   */
  readonly permitted?: (persona: string) => Effect.Effect<(skill: PermittedSkill) => boolean>
  /** How the disk is looked at; absent: by effect's `FileSystem`, a call a file. */
  readonly openDisk?: OpenDisk
  readonly limit?: SkillLimit
  /** Names of tools that count as there while no table of tools is known (`SkillLibrary.layerTools`). */
  readonly toolNames?: ReadonlyArray<string>
}
