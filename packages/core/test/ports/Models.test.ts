import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Model, type ModelProvider, Models } from "../../src/index.ts"

const provider = (name: string, mark = ""): ModelProvider => ({
  name,
  model: (model) =>
    Effect.succeed({ id: `${name}/${model}${mark}`, takesImages: false, stream: () => Stream.empty })
})

const run = <A, E>(body: (models: Models["Service"]) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.flatMap(Models, body).pipe(Effect.scoped, Effect.provide(Models.layer), Effect.runPromise)

describe("get", () => {
  test("asks the provider before the first slash for what stands after it", () =>
    run((models) =>
      Effect.gen(function* () {
        yield* models.register(provider("openrouter"))
        expect((yield* models.get("openrouter/meta/llama")).id).toBe("openrouter/meta/llama")
      })
    ))

  test("of an unknown provider says which there are; of no provider/model says so", () =>
    run((models) =>
      Effect.gen(function* () {
        const none = yield* Effect.flip(models.get("x/y"))
        expect(none.message).toBe('model "x/y": no provider "x"; there are none')
        for (const name of ["b", "a"]) yield* models.register(provider(name))
        const unknown = yield* Effect.flip(models.get("c/d"))
        expect(unknown.message).toBe('model "c/d": no provider "c"; there are a, b')
        for (const id of ["", "a", "/a", "a/"])
          expect((yield* Effect.flip(models.get(id))).message).toBe(
            `model "${id}" is not of the form provider/model`
          )
      })
    ))
})

describe("register", () => {
  test("the first of a name stays until its scope closes, then the next counts", () =>
    run((models) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        yield* Scope.provide(models.register(provider("a", "!")), scope)
        yield* models.register(provider("a", "?"))
        expect((yield* models.get("a/m")).id).toBe("a/m!")
        yield* Scope.close(scope, Exit.void)
        expect((yield* models.get("a/m")).id).toBe("a/m?")
      })
    ))
})

test("usage adds up field by field", () => {
  const one = { inputTokens: 1, outputTokens: 2, cachedTokens: 3 }
  expect(Model.addUsage(one, { inputTokens: 10, outputTokens: 20, cachedTokens: 30 })).toEqual({
    inputTokens: 11,
    outputTokens: 22,
    cachedTokens: 33
  })
  expect(Model.addUsage(one, Model.noUsage)).toEqual(one)
})
