/** Assignments of skills in core's `StateDb`: the layer of `SkillAssignments` for the command line. */
import { type Migrations, StateDb, type StateDbError } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AssignmentsUnavailable, everyone, SkillAssignments } from "./SkillAssignments.ts"

const migrations: Migrations = {
  owner: "skill_assignments",
  steps: [
    "CREATE TABLE skill_assignments (skill TEXT NOT NULL, persona TEXT NOT NULL, allowed INTEGER NOT NULL, " +
      "PRIMARY KEY (skill, persona))"
  ]
}

const unavailable = ({ message }: StateDbError) => new AssignmentsUnavailable({ message })

export const layer: Layer.Layer<SkillAssignments, never, StateDb> = Layer.effect(
  SkillAssignments,
  Effect.map(StateDb, (db) =>
    SkillAssignments.of({
      of: Effect.fnUntraced(function* (name) {
        yield* db.migrate(migrations)
        const rows = yield* db.all(
          "SELECT persona, allowed FROM skill_assignments WHERE skill = ? ORDER BY persona",
          [name]
        )
        return rows.map(({ allowed, persona }) => ({
          persona: String(persona),
          allowed: Number(allowed) === 1
        }))
      }, Effect.mapError(unavailable)),
      forPersona: Effect.fnUntraced(function* (persona) {
        yield* db.migrate(migrations)
        const rows = yield* db.all(
          "SELECT skill, allowed FROM skill_assignments WHERE persona IN (?, ?) ORDER BY persona = ?",
          [persona, everyone, persona]
        )
        // The later row of a skill counts: the persona's own.
        return new Map(rows.map(({ allowed, skill }) => [String(skill), Number(allowed) === 1]))
      }, Effect.mapError(unavailable)),
      set: Effect.fnUntraced(function* (persona, name, allowed) {
        yield* db.migrate(migrations)
        const changed =
          allowed === null
            ? yield* db.run("DELETE FROM skill_assignments WHERE skill = ? AND persona = ?", [name, persona])
            : yield* db.run(
                "INSERT INTO skill_assignments (skill, persona, allowed) VALUES (?, ?, ?) " +
                  "ON CONFLICT (skill, persona) DO UPDATE SET allowed = excluded.allowed " +
                  "WHERE allowed <> excluded.allowed",
                [name, persona, allowed ? 1 : 0]
              )
        return changed > 0
      }, Effect.mapError(unavailable))
    })
  )
)
