/**
 * The port to the capability `skill/<name>`: which personas a skill was given to or taken from by a person. What holds
 * where nothing was said is `SkillLibrary`'s: an installed skill is nobody's, every other one everyone's.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { PermittedSkill } from "../manifest/SkillSettings.ts"

export class AssignmentsUnavailable extends Schema.TaggedError<AssignmentsUnavailable>()(
  "AssignmentsUnavailable",
  { message: Schema.String }
) {}

/** The persona that stands for all. */
export const everyone = "*"

/** One override. `persona`: an id, or `*` for everyone. */
export interface Assignment {
  readonly persona: string
  readonly allowed: boolean
}

export class SkillAssignments extends Context.Service<
  SkillAssignments,
  {
    /** The overrides of a skill, sorted by persona. */
    readonly of: (name: string) => Effect.Effect<ReadonlyArray<Assignment>, AssignmentsUnavailable>
    /** What holds for one persona, by skill: its own override, else everyone's. */
    readonly forPersona: (
      persona: string
    ) => Effect.Effect<ReadonlyMap<string, boolean>, AssignmentsUnavailable>
    /** `allowed` null takes the override back. True: something changed. */
    readonly set: (
      persona: string,
      name: string,
      allowed: boolean | null
    ) => Effect.Effect<boolean, AssignmentsUnavailable>
  }
>()("@cow/skills/SkillAssignments") {
  /** In memory, for apps that store none and for tests. */
  static readonly layerMemory: Layer.Layer<SkillAssignments> = Layer.sync(SkillAssignments, () => {
    const rows = new Map<string, Map<string, boolean>>()
    return SkillAssignments.of({
      of: (name) =>
        Effect.sync(() =>
          [...(rows.get(name) ?? [])]
            .sort(([left], [right]) => (left < right ? -1 : 1))
            .map(([persona, allowed]) => ({ persona, allowed }))
        ),
      forPersona: (persona) =>
        Effect.sync(() => {
          const found = [...rows].map(([name, row]) => [name, row.get(persona) ?? row.get(everyone)] as const)
          return new Map(found.flatMap(([name, allowed]) => (allowed === undefined ? [] : [[name, allowed]])))
        }),
      set: (persona, name, allowed) =>
        Effect.sync(() => {
          const row = rows.get(name) ?? new Map<string, boolean>()
          rows.set(name, row)
          if ((row.get(persona) ?? null) === allowed) return false
          if (allowed === null) row.delete(persona)
          else row.set(persona, allowed)
          return true
        })
    })
  })
}

/** Whether a persona has a skill, by what `forPersona` says of it. Pure. */
export const isAssigned =
  (overrides: ReadonlyMap<string, boolean>) =>
  ({ installed, name }: PermittedSkill): boolean =>
    overrides.get(name) ?? !installed
