/**
 * Whether a persona has a skill, by what a person said of it (core's `SkillAssignments`) and, where nothing was said,
 * by where the skill came from: an installed one is nobody's, every other one everyone's.
 */
import type { Assignment, AssignmentsUnavailable, SkillAssignments } from "@cow/core"
import * as Effect from "effect/Effect"
import type { PermittedSkill } from "../manifest/SkillSettings.ts"

/** The persona that stands for all. */
const everyone = "*"

/** `overrides`: a persona's own and everyone's, in any order; its own counts. Pure. */
export const isAssigned = (overrides: ReadonlyArray<Assignment>): ((skill: PermittedSkill) => boolean) => {
  const allowed = new Map<string, boolean>()
  for (const one of overrides)
    if (one.persona !== everyone || !allowed.has(one.skill)) allowed.set(one.skill, one.allowed)
  return ({ installed, name }) => allowed.get(name) ?? !installed
}

/** What one persona has, as it is written now. */
export const forPersona = (
  assignments: SkillAssignments["Service"],
  persona: string
): Effect.Effect<(skill: PermittedSkill) => boolean, AssignmentsUnavailable> =>
  Effect.map(assignments.forPersonas([persona, everyone]), isAssigned)
