import { describe, expect, test } from "bun:test"
import { type Assignment, SkillAssignments } from "@cow/core"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { AssignedSkill } from "../../src/index.ts"

const skill = (name: string, installed = false) => ({ name, installed })

describe("isAssigned", () => {
  test("where nothing was said an installed skill is nobody's, every other one everyone's", () => {
    const has = AssignedSkill.isAssigned([])
    expect(has(skill("tea", true))).toBe(false)
    expect(has(skill("tea"))).toBe(true)
  })

  test("a persona's own word counts before everyone's, in whatever order they are read", () => {
    const names = fc.constantFrom("tea", "cup", "pot")
    const row = fc.record({ skill: names, persona: fc.constantFrom("*", "amy"), allowed: fc.boolean() })
    const rows = fc.uniqueArray(row, { selector: (one: Assignment) => `${one.skill} ${one.persona}` })
    fc.assert(
      fc.property(rows, names, fc.boolean(), (all, name, installed) => {
        const said = (persona: string) =>
          all.find((one) => one.skill === name && one.persona === persona)?.allowed
        expect(AssignedSkill.isAssigned(all)(skill(name, installed))).toBe(
          said("amy") ?? said("*") ?? !installed
        )
      })
    )
  })
})

test("what was said to another persona does not count", () =>
  Effect.gen(function* () {
    const assignments = yield* SkillAssignments
    yield* assignments.set("zoe", "tea", false)
    yield* assignments.set("*", "cup", false)
    const has = yield* AssignedSkill.forPersona(assignments, "amy")
    expect([has(skill("tea")), has(skill("cup"))]).toEqual([true, false])
  }).pipe(Effect.provide(SkillAssignments.layerMemory), Effect.runPromise))
