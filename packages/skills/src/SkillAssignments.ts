/**
 * The port to the capability `skill/<name>`: which personas a skill was given to or taken from by a person. What holds
 * where nothing was said is `SkillLibrary`'s: an installed skill is nobody's, every other one everyone's.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

export class AssignmentsUnavailable extends Schema.TaggedError<AssignmentsUnavailable>()(
  "AssignmentsUnavailable",
  { message: Schema.String }
) {}

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

/** The own override of a persona, then everyone's, then whether it was installed. Pure. */
export const isAssigned = (
  overrides: ReadonlyArray<Assignment>,
  persona: string,
  installed: boolean
): boolean => {
  const find = (who: string) => overrides.find((one) => one.persona === who)?.allowed
  return find(persona) ?? find("*") ?? !installed
}
