import { describe, expect, test } from "bun:test"
import { PersonaStore, RunStore, SessionStore, SkillAssignments, TrustRecords } from "@cow/core"
import {
  PersonaStoreContract,
  RunClaimContract,
  RunStoreContract,
  SessionStoreContract,
  SkillAssignmentsContract,
  TrustRecordsContract
} from "@cow/core/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { holds } from "./Holds.ts"

describe("sessions in memory", () => holds(SessionStoreContract.cases, SessionStore.layerMemory))

describe("personas in memory", () => holds(PersonaStoreContract.cases, PersonaStore.layerMemory))

describe("records of trust in memory", () => holds(TrustRecordsContract.cases, TrustRecords.layerMemory))

describe("assignments of skills in memory", () =>
  holds(SkillAssignmentsContract.cases, SkillAssignments.layerMemory))

describe("runs in memory", () =>
  holds([...RunStoreContract.cases, ...RunClaimContract.cases], RunStore.layerMemory))

test("a store that breaks its promise is found, by a case that says what and where", async () => {
  const forgetful = Layer.effect(
    SessionStore,
    Effect.map(SessionStore, (store) =>
      SessionStore.of({
        ...store,
        // As it was before sessions had revisions: the last writer wins.
        write: (id, write) =>
          Effect.flatMap(store.load(id), ({ revision }) => store.write(id, { ...write, revision }))
      })
    )
  ).pipe(Layer.provide(SessionStore.layerMemory))
  const failures: Array<string> = []
  for (const { name, run } of SessionStoreContract.cases) {
    const result = await Effect.runPromise(Effect.result(Effect.provide(run, Layer.fresh(forgetful))))
    if (result._tag === "Failure") failures.push(`${name}: ${result.failure.message}`)
  }
  expect(failures.map((line) => line.slice(0, line.indexOf(":")))).toEqual([
    "a write on another revision than the session's is refused, and nothing is changed",
    "of many writes on the same revision one is taken"
  ])
  expect(failures[0]).toContain("a write on revision 0 succeeded with 3, and must fail with")
})
