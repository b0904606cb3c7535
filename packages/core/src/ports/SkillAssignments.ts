/**
 * The port to the capability `skill/<name>`: which personas a skill was given to or taken from by a person. What that
 * means for a persona, and what holds where nothing was said, is the skills package's.
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
export const Assignment = Schema.Struct({
  skill: Schema.String,
  persona: Schema.String,
  allowed: Schema.Boolean
})
export type Assignment = typeof Assignment.Type

type Assignments = Effect.Effect<ReadonlyArray<Assignment>, AssignmentsUnavailable>

const inOrder = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

export class SkillAssignments extends Context.Service<
  SkillAssignments,
  {
    /** The overrides of a skill, sorted by persona. */
    readonly of: (skill: string) => Assignments
    /** The overrides for these personas, sorted by skill, then persona. `*` stands for itself here. */
    readonly forPersonas: (personas: ReadonlyArray<string>) => Assignments
    /** `allowed` null takes the override back. True: something changed. */
    readonly set: (
      persona: string,
      skill: string,
      allowed: boolean | null
    ) => Effect.Effect<boolean, AssignmentsUnavailable>
  }
>()("@cow/core/SkillAssignments") {
  /** In memory, for apps that store none and for tests. */
  static readonly layerMemory: Layer.Layer<SkillAssignments> = Layer.sync(SkillAssignments, () => {
    const rows = new Map<string, Assignment>()
    const keyOf = (persona: string, skill: string) => JSON.stringify([persona, skill])
    const where = (holds: (row: Assignment) => boolean) =>
      Effect.sync(() =>
        [...rows.values()]
          .filter(holds)
          .sort((left, right) => inOrder(left.skill, right.skill) || inOrder(left.persona, right.persona))
      )
    return SkillAssignments.of({
      of: (skill) => where((row) => row.skill === skill),
      forPersonas: (personas) => where((row) => personas.includes(row.persona)),
      set: (persona, skill, allowed) =>
        Effect.sync(() => {
          const key = keyOf(persona, skill)
          if ((rows.get(key)?.allowed ?? null) === allowed) return false
          if (allowed === null) rows.delete(key)
          else rows.set(key, { skill, persona, allowed })
          return true
        })
    })
  })
}
