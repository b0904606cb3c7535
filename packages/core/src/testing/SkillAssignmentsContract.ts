/** What every layer of `SkillAssignments` keeps. */
import * as Effect from "effect/Effect"
import { type Assignment, SkillAssignments } from "../ports/SkillAssignments.ts"
import * as Contract from "./Contract.ts"

const { same } = Contract

const one = <E>(name: string, body: (assignments: SkillAssignments["Service"]) => Effect.Effect<void, E>) =>
  Contract.make(name, Effect.flatMap(SkillAssignments, body))

/** As `tea amy yes`. */
const lines = <E>(rows: Effect.Effect<ReadonlyArray<Assignment>, E>) =>
  Effect.map(rows, (all) =>
    all.map(({ allowed, persona, skill }) => `${skill} ${persona} ${allowed ? "yes" : "no"}`)
  )

export const cases: ReadonlyArray<Contract.Case<SkillAssignments>> = [
  one("nothing is said of a skill before someone says it", (assignments) =>
    Effect.gen(function* () {
      yield* same("of the skill", yield* assignments.of("tea"), [])
      yield* same("for the personas", yield* assignments.forPersonas(["amy", "*"]), [])
    })
  ),
  one("what is said of a skill comes sorted by persona, and other skills are not in it", (assignments) =>
    Effect.gen(function* () {
      yield* assignments.set("zoe", "tea", true)
      yield* assignments.set("amy", "tea", false)
      yield* assignments.set("*", "tea", true)
      yield* assignments.set("amy", "cup", true)
      yield* same("of tea", yield* lines(assignments.of("tea")), ["tea * yes", "tea amy no", "tea zoe yes"])
    })
  ),
  one("what is said for personas comes sorted by skill, and of others nothing", (assignments) =>
    Effect.gen(function* () {
      yield* assignments.set("amy", "tea", false)
      yield* assignments.set("*", "tea", true)
      yield* assignments.set("amy", "cup", true)
      yield* assignments.set("zoe", "cup", true)
      yield* same("both", yield* lines(assignments.forPersonas(["amy", "*"])), [
        "cup amy yes",
        "tea * yes",
        "tea amy no"
      ])
      yield* same("everyone", yield* lines(assignments.forPersonas(["*"])), ["tea * yes"])
      yield* same("a persona twice", yield* lines(assignments.forPersonas(["zoe", "zoe"])), ["cup zoe yes"])
      yield* same("no persona", yield* assignments.forPersonas([]), [])
    })
  ),
  one("the later word replaces the earlier, and is told apart from saying it again", (assignments) =>
    Effect.gen(function* () {
      yield* same("the first", yield* assignments.set("amy", "tea", true), true)
      yield* same("again", yield* assignments.set("amy", "tea", true), false)
      yield* same("the other", yield* assignments.set("amy", "tea", false), true)
      yield* same("of tea", yield* lines(assignments.of("tea")), ["tea amy no"])
    })
  ),
  one("a word that is taken back is gone, and only that one", (assignments) =>
    Effect.gen(function* () {
      yield* assignments.set("amy", "tea", false)
      yield* assignments.set("*", "tea", true)
      yield* same("taking back", yield* assignments.set("amy", "tea", null), true)
      yield* same("again", yield* assignments.set("amy", "tea", null), false)
      yield* same("of tea", yield* lines(assignments.of("tea")), ["tea * yes"])
    })
  ),
  one("names are kept as they are, and two names never make one", (assignments) =>
    Effect.gen(function* () {
      yield* assignments.set("a'b", 'c"d', true)
      yield* assignments.set("a", "b,c", true)
      yield* assignments.set("a,b", "c", false)
      yield* same("the quoted", yield* lines(assignments.of('c"d')), [`c"d a'b yes`])
      yield* same("the first", yield* lines(assignments.of("b,c")), ["b,c a yes"])
      yield* same("the second", yield* lines(assignments.of("c")), ["c a,b no"])
    })
  )
]
