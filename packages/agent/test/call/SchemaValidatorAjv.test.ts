import { describe, expect, test } from "bun:test"
import { type Message, SchemaValidator } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { SchemaValidatorAjv } from "../../src/index.ts"

/** What is wrong with each value, or with the schema. */
const faults = (schema: Message.JsonObject, ...values: ReadonlyArray<Message.JsonObject>) =>
  Effect.gen(function* () {
    const validator = yield* SchemaValidator
    const compiled = yield* Effect.result(validator.compile(schema))
    return Result.isFailure(compiled) ? compiled.failure.message : values.map(compiled.success)
  })
const run = <A>(effect: Effect.Effect<A, never, SchemaValidator>) =>
  Effect.runPromise(Effect.provide(effect, SchemaValidatorAjv.layer))

describe("a schema", () => {
  test("is checked with its $defs, in both dialects", () =>
    run(
      Effect.gen(function* () {
        for (const more of [{}, { $schema: "http://json-schema.org/draft-07/schema#" }]) {
          const schema = {
            ...more,
            properties: { a: { $ref: "#/$defs/T" } },
            $defs: { T: { type: "string" } }
          }
          expect(yield* faults(schema, { a: "x" }, { a: 1 })).toEqual([[], ["a: must be string"]])
        }
      })
    ))

  test("may carry the same $id as another, also inside", () =>
    run(
      Effect.gen(function* () {
        const of = (type: string) => ({
          $id: "https://example.org/s",
          properties: { a: { $id: "https://example.org/in", type } }
        })
        expect(yield* faults(of("string"), { a: 1 })).toEqual([["a: must be string"]])
        expect(yield* faults(of("number"), { a: 1 })).toEqual([[]])
      })
    ))

  test("may ask for a schema of its dialect", () =>
    run(
      Effect.gen(function* () {
        const schema = { properties: { s: { $ref: "https://json-schema.org/draft/2020-12/schema" } } }
        expect(yield* faults(schema, { s: { type: "string" } }, { s: 5 })).toEqual([
          [],
          ["s: must be object,boolean"]
        ])
      })
    ))

  test("that is none, or refers to nothing, is refused", () =>
    run(
      Effect.gen(function* () {
        expect(yield* faults({ type: "strange" })).toStartWith(
          "schema is invalid: data/type must be equal to"
        )
        expect(yield* faults({ properties: { a: { $ref: "#/$defs/No" } } })).toContain("#/$defs/No")
        expect(yield* faults({ properties: { a: { $ref: "https://example.org/s" } } })).toContain(
          "example.org"
        )
      })
    ))

  test("costs little beside what is learnt once", () =>
    run(
      Effect.gen(function* () {
        const of = (n: number) => ({ type: "object", properties: { [`p${n}`]: { type: "string" } } })
        yield* faults(of(0))
        const began = process.cpuUsage()
        for (let n = 1; n <= 100; n++) yield* faults(of(n))
        const { system, user } = process.cpuUsage(began)
        // Learning the dialect anew for each would take seconds.
        expect((system + user) / 1000).toBeLessThan(1500)
      })
    ))
})
