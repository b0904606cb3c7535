import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as CallBudget from "../../src/connection/CallBudget.ts"

const run = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(effect, TestClock.layer()))

/** A call that never ends; `progress` is what it was handed. */
const started = Effect.fnUntraced(function* (seconds: number) {
  const handed = { progress: () => {}, interrupted: false }
  const fiber = yield* Effect.forkChild(
    CallBudget.within(seconds, (progress) => {
      handed.progress = progress
      return Effect.onInterrupt(Effect.never, () =>
        Effect.sync(() => {
          handed.interrupted = true
        })
      )
    })
  )
  yield* Effect.yieldNow
  const isOver = Effect.sync(() => fiber.pollUnsafe() !== undefined)
  return { fiber, handed, isOver }
})

describe("the time of a call", () => {
  test("is its time-out where nothing is heard, and the call is interrupted then", () =>
    run(
      Effect.gen(function* () {
        const { fiber, handed, isOver } = yield* started(20)
        yield* TestClock.adjust("19999 millis")
        expect(yield* isOver).toBe(false)
        yield* TestClock.adjust("1 millis")
        expect(yield* Fiber.join(fiber)).toEqual(Option.none())
        expect(handed.interrupted).toBe(true)
      })
    ))

  test("starts anew at each sign of progress", () =>
    run(
      Effect.gen(function* () {
        const { fiber, handed, isOver } = yield* started(20)
        yield* TestClock.adjust("15 seconds")
        handed.progress()
        yield* TestClock.adjust("19 seconds")
        expect(yield* isOver).toBe(false)
        yield* TestClock.adjust("1 seconds")
        expect(yield* Fiber.join(fiber)).toEqual(Option.none())
      })
    ))

  test("ends after ten time-outs, however much progress there is", () =>
    run(
      Effect.gen(function* () {
        const { fiber, handed, isOver } = yield* started(20)
        for (let second = 0; second < 199; second += 1) {
          handed.progress()
          yield* TestClock.adjust("1 seconds")
        }
        expect(yield* isOver).toBe(false)
        handed.progress()
        yield* TestClock.adjust("1 seconds")
        expect(yield* Fiber.join(fiber)).toEqual(Option.none())
      })
    ))

  test("does not matter to a call that ends before", () =>
    run(
      Effect.gen(function* () {
        expect(yield* CallBudget.within(1, () => Effect.succeed("done"))).toEqual(Option.some("done"))
      })
    ))
})
