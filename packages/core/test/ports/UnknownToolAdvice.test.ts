import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { type Adviser, ToolResult, UnknownToolAdvice } from "../../src/index.ts"

const request = { name: "pdf", persona: "default", workspace: "/w", offered: ["read"] }
const says =
  (text: string): Adviser =>
  () =>
    Effect.succeedSome(ToolResult.ok(text))
const silent: Adviser = () => Effect.succeedNone

const run = <A, E>(body: (advice: UnknownToolAdvice["Service"]) => Effect.Effect<A, E, Scope.Scope>) => {
  const log: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void log.push(String([message].flat()[0])))])
  return Effect.flatMap(UnknownToolAdvice, body).pipe(
    Effect.scoped,
    Effect.provide(Layer.merge(UnknownToolAdvice.layer, logger)),
    Effect.map((value) => ({ value, log })),
    Effect.runPromise
  )
}

const advised = (advice: UnknownToolAdvice["Service"]) =>
  Effect.map(advice.advise(request), Option.map(ToolResult.textOf))

describe("advise", () => {
  test("is silent when nobody knows the name", () =>
    run((advice) =>
      Effect.gen(function* () {
        expect(yield* advised(advice)).toEqual(Option.none())
        yield* advice.register(silent)
        expect(yield* advised(advice)).toEqual(Option.none())
      })
    ))

  test("gives the first answer in the order of registration, for as long as its scope is open", () =>
    run((advice) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        yield* advice.register(silent)
        yield* Scope.provide(advice.register(says("first")), scope)
        yield* advice.register(says("second"))
        expect(yield* advised(advice)).toEqual(Option.some("first"))
        yield* Scope.close(scope, Exit.void)
        expect(yield* advised(advice)).toEqual(Option.some("second"))
      })
    ))

  test("passes over an adviser that dies or throws, and logs it", async () => {
    const { log } = await run((advice) =>
      Effect.gen(function* () {
        yield* advice.register(() => Effect.die("boom"))
        yield* advice.register(() => {
          throw new Error("bang")
        })
        yield* advice.register(says("third"))
        expect(yield* advised(advice)).toEqual(Option.some("third"))
      })
    )
    expect(log).toEqual([
      'advice on the unknown tool "pdf" failed: boom',
      'advice on the unknown tool "pdf" failed: bang'
    ])
  })
})
