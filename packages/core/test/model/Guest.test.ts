import { describe, expect, test } from "bun:test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Guest } from "../../src/index.ts"

const run = <A>(effect: Effect.Effect<A>) => Effect.runPromise(Effect.provide(effect, TestClock.layer()))

const broken: ReadonlyArray<readonly [string, () => unknown, string]> = [
  [
    "throws before it gives an Effect",
    () => {
      throw new Error("boom")
    },
    "boom"
  ],
  [
    "throws no Error",
    () => {
      throw { code: 7 }
    },
    '{"code":7}'
  ],
  [
    "throws what has no words",
    () => {
      throw Object.create(null, { toJSON: { value: () => undefined } })
    },
    "something that cannot be shown was thrown"
  ],
  ["dies", () => Effect.die("bang"), "bang"],
  ["fails", () => Effect.fail(new Error("no")), "no"],
  ["gives a Promise", () => Promise.resolve(1), "it gave a Promise where an Effect is expected"],
  ["gives a Promise that is rejected", () => Promise.reject(new Error("late")), "late"],
  ["gives nothing", () => undefined, "it gave a value of type undefined where an Effect is expected"],
  ["gives null", () => null, "it gave null where an Effect is expected"],
  ["gives a text", () => "x", "it gave a value of type string where an Effect is expected"]
]

describe("code that", () => {
  for (const [what, work, message] of broken)
    test(`${what} is broken, and its words are kept`, async () => {
      const outcome = await run(Guest.settle(work as () => Effect.Effect<number>))
      expect(outcome).toMatchObject({ _tag: "Broke", message })
    })

  test("interrupts itself interrupts nobody else", async () => {
    const own = Effect.gen(function* () {
      const child = yield* Effect.forkChild(Effect.never)
      yield* Fiber.interrupt(child)
      return yield* Fiber.join(child)
    })
    for (const work of [Effect.interrupt, own, Effect.withFiber((fiber) => Fiber.interrupt(fiber))])
      expect(await run(Guest.settle(() => work))).toEqual({ _tag: "Interrupted" })
  })

  test("works is heard, at once or later", async () => {
    expect(await run(Guest.settle(() => Effect.succeed(1)))).toEqual({ _tag: "Given", value: 1 })
    const later = Effect.andThen(Effect.yieldNow, Effect.succeed(2))
    expect(await run(Guest.settle(() => later, "1 second"))).toEqual({ _tag: "Given", value: 2 })
  })

  test("hangs ends at its limit, interrupted, also where its caller cannot be interrupted", () =>
    run(
      Effect.gen(function* () {
        let cleaned = 0
        const hang = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void cleaned++))
        const asked = Guest.settle(() => hang, "2 seconds")
        for (const one of [asked, Effect.uninterruptible(asked)]) {
          const fiber = yield* Effect.forkChild(one, { startImmediately: true })
          yield* TestClock.adjust("2 seconds")
          expect(yield* Fiber.join(fiber)).toEqual({ _tag: "Late" })
        }
        expect(cleaned).toBe(2)
      })
    ))

  test("refuses to be interrupted is left to itself", () =>
    run(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(
          Guest.settle(() => Effect.uninterruptible(Effect.never), "2 seconds"),
          { startImmediately: true }
        )
        yield* TestClock.adjust("2 seconds")
        yield* TestClock.adjust("10 seconds")
        expect(yield* Fiber.join(fiber)).toEqual({ _tag: "Late" })
      })
    ))

  test("is interrupted with its caller, which waits for its end", () =>
    run(
      Effect.gen(function* () {
        let cleaned = false
        const begun = yield* Deferred.make<void>()
        const cleanUp = Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => {
            cleaned = true
          })
        )
        const work = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
        const fiber = yield* Effect.forkChild(Guest.settle(() => Effect.onInterrupt(work, () => cleanUp)))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        expect(cleaned).toBe(true)
        expect(Exit.isFailure(yield* Fiber.await(fiber))).toBe(true)
      })
    ))
})
