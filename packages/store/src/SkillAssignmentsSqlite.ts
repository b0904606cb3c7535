/** The layer of core's `SkillAssignments` in `state.db`. */
import { AssignmentsUnavailable, SkillAssignments, StateDb } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as OwnedTables from "./OwnedTables.ts"

const migrations = {
  owner: "skill_assignments",
  steps: [
    "CREATE TABLE skill_assignments (skill TEXT NOT NULL, persona TEXT NOT NULL, allowed INTEGER NOT NULL, " +
      "PRIMARY KEY (skill, persona))"
  ]
}

const make = (db: StateDb["Service"]) => {
  const using = OwnedTables.make(db, migrations, ({ message }) => new AssignmentsUnavailable({ message }))
  const rows = (where: string, params: ReadonlyArray<string>) =>
    Effect.map(
      using(
        db.all(
          `SELECT skill, persona, allowed FROM skill_assignments WHERE ${where} ORDER BY skill, persona`,
          params
        )
      ),
      (found) =>
        found.map(({ allowed, persona, skill }) => ({
          skill: String(skill),
          persona: String(persona),
          allowed: Number(allowed) === 1
        }))
    )
  return SkillAssignments.of({
    of: (skill) => rows("skill = ?", [skill]),
    forPersonas: (personas) => rows(`persona IN (${personas.map(() => "?").join(", ")})`, personas),
    set: (persona, skill, allowed) =>
      Effect.map(
        using(
          allowed === null
            ? db.run("DELETE FROM skill_assignments WHERE skill = ? AND persona = ?", [skill, persona])
            : db.run(
                "INSERT INTO skill_assignments (skill, persona, allowed) VALUES (?, ?, ?) " +
                  "ON CONFLICT (skill, persona) DO UPDATE SET allowed = excluded.allowed " +
                  "WHERE allowed <> excluded.allowed",
                [skill, persona, allowed ? 1 : 0]
              )
        ),
        (changed) => changed > 0
      )
  })
}

export const layer: Layer.Layer<SkillAssignments, never, StateDb> = Layer.effect(
  SkillAssignments,
  Effect.map(StateDb, make)
)
