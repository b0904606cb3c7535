/**
 * A skill as the catalogue knows it, and the document of `cow skill list --json`. Only the shapes; they are filled by
 * `SkillManifest` (from the file), `SkillPrecedence` (from its place) and `SkillLibrary` (from switches and machine).
 */
import { Diagnostic } from "@cow/core"
import * as Schema from "effect/Schema"
import type { SkillManifest } from "./SkillManifest.ts"

export const SkillSource = Schema.Literals(["builtin", "plugin", "user", "project"])
export type SkillSource = typeof SkillSource.Type

const Names = Schema.Array(Schema.String)
export const Missing = Schema.Struct({
  bins: Names,
  anyBins: Names,
  env: Names,
  anyEnv: Names,
  /** Names of its `tool_names` that are no tool now; only where there are some. */
  tools: Schema.optionalKey(Names)
})

export const ListedSkill = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  source: SkillSource,
  /** Absolute path of its `SKILL.md`. */
  path: Schema.String,
  /** Absolute path of its folder. */
  base_dir: Schema.String,
  enabled: Schema.Boolean,
  trusted: Schema.Boolean,
  /** Trusted and usable on this machine. */
  available: Schema.Boolean,
  missing: Missing,
  /**
   * Why it does not count: `untrusted`, `changed_since_trust`, `disabled`, `not_assigned`, `platform: …`, `missing: …`,
   * `tool_missing: …`; null where it does.
   */
  reason: Schema.NullOr(Schema.String)
})
export type ListedSkill = typeof ListedSkill.Type

export const ShadowedSkill = Schema.Struct({
  name: Schema.String,
  path: Schema.String,
  source: SkillSource,
  /** Path of the skill that counts. */
  by: Schema.String,
  /** `user before builtin`, `duplicate in user`, `untrusted`. */
  reason: Schema.String
})
export type ShadowedSkill = typeof ShadowedSkill.Type

/** `cow skill list --json`. */
export const SkillList = Schema.Struct({
  skills: Schema.Array(ListedSkill),
  shadowed: Schema.Array(ShadowedSkill),
  diagnostics: Schema.Array(Diagnostic.Diagnostic)
})
export type SkillList = typeof SkillList.Type

/** A listed skill with what its file says. */
export interface Skill extends ListedSkill {
  readonly manifest: SkillManifest
  /** False: its metadata names other platforms than this one. */
  readonly platformFits: boolean
  /** Put there by an installer: it needs trust of its own, and is assigned to nobody unless said so. */
  readonly installed: boolean
}

/** The only fields that the list shows, in their order. */
export const toListed = (skill: Skill): ListedSkill => ({
  name: skill.name,
  description: skill.description,
  source: skill.source,
  path: skill.path,
  base_dir: skill.base_dir,
  enabled: skill.enabled,
  trusted: skill.trusted,
  available: skill.available,
  missing: skill.missing,
  reason: skill.reason
})
