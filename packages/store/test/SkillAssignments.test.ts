import { describe, expect, test } from "bun:test"
import { SkillAssignments, StateDb } from "@cow/core"
import { SkillAssignmentsContract } from "@cow/core/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { holds } from "../../core/test/testing/Holds.ts"
import { SkillAssignmentsSqlite, StateDbSqlite } from "../src/index.ts"
import { inTempFolder } from "./TempFolder.ts"

describe("assignments of skills in SQLite", () => {
  holds(
    SkillAssignmentsContract.cases,
    SkillAssignmentsSqlite.layer.pipe(Layer.provide(StateDbSqlite.layerMemory))
  )

  test("a state.db of before is read as it stands", () =>
    inTempFolder((folder) =>
      Effect.gen(function* () {
        const path = `${folder}/state.db`
        yield* Effect.gen(function* () {
          const db = yield* StateDb
          yield* db.migrate({
            owner: "skill_assignments",
            steps: [
              "CREATE TABLE skill_assignments (skill TEXT NOT NULL, persona TEXT NOT NULL, allowed INTEGER NOT NULL, " +
                "PRIMARY KEY (skill, persona))"
            ]
          })
          yield* db.run("INSERT INTO skill_assignments VALUES ('tea', '*', 0), ('tea', 'amy', 1)")
        }).pipe(Effect.provide(StateDbSqlite.layer(path)))
        yield* Effect.gen(function* () {
          const assignments = yield* SkillAssignments
          const all = { skill: "tea", persona: "*", allowed: false }
          expect(yield* assignments.of("tea")).toEqual([all, { skill: "tea", persona: "amy", allowed: true }])
          expect(yield* assignments.set("amy", "tea", true)).toBe(false)
          expect(yield* assignments.set("amy", "tea", null)).toBe(true)
          expect(yield* assignments.of("tea")).toEqual([all])
        }).pipe(Effect.provide(SkillAssignmentsSqlite.layer.pipe(Layer.provide(StateDbSqlite.layer(path)))))
      })
    ))
})
