import { describe, expect, test } from "bun:test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as TestClock from "effect/testing/TestClock"
import { ConnectFailed, type Connection } from "../../src/connection/Connection.ts"
import * as ServerSupervisor from "../../src/server/ServerSupervisor.ts"

const connection = (ended: Effect.Effect<string>): Connection => ({
  protocol: "2025-11-25",
  pid: 7,
  offers: { resources: false, prompts: false },
  listTools: Effect.succeed({ tools: [], skipped: [], warnings: [] }),
  callTool: () => Effect.succeed({}),
  request: () => Effect.succeed({}),
  listChanged: Effect.never,
  ended
})

/** A supervised server whose connecting is given, and what was reported of it. */
const supervised = (
  connect: Effect.Effect<Connection, ConnectFailed, Scope.Scope>,
  more: Partial<ServerSupervisor.Supervision> = {}
) => {
  const reports: Array<string> = []
  const effect = ServerSupervisor.run({
    connectTimeoutSeconds: 90,
    begin: Effect.void,
    permits: Semaphore.makeUnsafe(8),
    connect,
    publish: () => Effect.succeed(3),
    report: ({ state, error, atRest }) =>
      Effect.sync(
        () => void reports.push(`${state}${atRest ? "." : ""}${error === null ? "" : ` ${error}`}`)
      ),
    clean: (message) => message.replace("secret", "***"),
    ...more
  })
  return { reports, effect }
}

const run = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(effect, TestClock.layer()) as Effect.Effect<A, E>)

const refused = (reason: "network" | "configuration" | "unauthorized") =>
  new ConnectFailed({ reason, message: "no secret today" })

describe("a supervised server", () => {
  test("is tried five times with growing waits, shows failed in between, and then rests", () =>
    run(
      Effect.gen(function* () {
        const times: Array<number> = []
        let now = 0
        const { reports, effect } = supervised(
          Effect.suspend(() => {
            times.push(now)
            return Effect.fail(refused("network"))
          })
        )
        yield* Effect.forkChild(effect)
        for (; now < 120_000; now += 50) yield* TestClock.adjust(50)
        expect(times.length).toBe(5)
        const waits = times.slice(1).map((time, at) => time - (times[at] ?? 0))
        for (const [at, wait] of waits.entries()) {
          expect(wait).toBeGreaterThanOrEqual(500 * 2 ** at * 0.8 - 50)
          expect(wait).toBeLessThanOrEqual(500 * 2 ** at * 1.2 + 50)
        }
        expect(reports[0]).toBe("starting")
        expect(new Set(reports.slice(1, -1))).toEqual(new Set(["failed no *** today"]))
        expect(reports.at(-1)).toBe("failed. no *** today")
      })
    ))

  for (const [reason, state] of [
    ["configuration", "failed"],
    ["unauthorized", "needs_auth"]
  ] as const)
    test(`is not tried again for ${reason}`, () =>
      run(
        Effect.gen(function* () {
          let tries = 0
          const { reports, effect } = supervised(
            Effect.suspend(() => {
              tries++
              return Effect.fail(refused(reason))
            })
          )
          yield* Effect.forkChild(effect)
          yield* TestClock.adjust("1 hour")
          expect(tries).toBe(1)
          expect(reports.at(-1)).toBe(`${state}. no *** today`)
        })
      ))

  test("fails, and is not tried again, where a fault of Cow's own ends its start", () =>
    run(
      Effect.gen(function* () {
        const { reports, effect } = supervised(Effect.die(new RangeError("the stack is full")))
        yield* Effect.forkChild(effect)
        yield* TestClock.adjust("1 hour")
        expect(reports).toEqual([
          "starting",
          "failed. a fault in Cow: RangeError: the stack is full",
          "failed. a fault in Cow: RangeError: the stack is full"
        ])
      })
    ))

  test("fails when connecting takes longer than its limit, and what was begun is closed", () =>
    run(
      Effect.gen(function* () {
        let closed = 0
        const { reports, effect } = supervised(
          Effect.acquireRelease(Effect.void, () => Effect.sync(() => void closed++)).pipe(
            Effect.andThen(Effect.never)
          )
        )
        yield* Effect.forkChild(effect)
        yield* TestClock.adjust("89 seconds")
        expect([closed, ...reports]).toEqual([0, "starting"])
        yield* TestClock.adjust("1 second")
        expect([closed, ...reports]).toEqual([1, "starting", "failed connect timed out after 90s"])
      })
    ))

  test("says when it was the tool list that did not come", () =>
    run(
      Effect.gen(function* () {
        const { reports, effect } = supervised(Effect.succeed(connection(Effect.never)), {
          publish: () => Effect.never,
          connectTimeoutSeconds: 0.5
        })
        yield* Effect.forkChild(effect)
        yield* TestClock.adjust("500 millis")
        expect(reports.at(-1)).toBe("failed connect timed out after 0.5s, waiting for the tool list")
      })
    ))

  test("is failed before its scope closes, and ready again after a wait", () =>
    run(
      Effect.gen(function* () {
        const ends = [yield* Deferred.make<string>(), yield* Deferred.make<string>()]
        let at = 0
        const order: Array<string> = []
        const { reports, effect } = supervised(
          Effect.suspend(() =>
            Effect.as(
              Effect.addFinalizer(() => Effect.sync(() => void order.push(`closed after ${reports.at(-1)}`))),
              connection(Deferred.await(ends[at++] as Deferred.Deferred<string>))
            )
          )
        )
        yield* Effect.forkChild(effect)
        yield* TestClock.adjust(1)
        yield* Deferred.succeed(ends[0] as Deferred.Deferred<string>, "exited with code 7")
        yield* TestClock.adjust("1 second")
        expect(order).toEqual(["closed after failed it exited with code 7"])
        expect(reports.at(0)).toBe("starting")
        expect(reports.filter((report) => report === "ready").length).toBe(2)
        expect(reports).not.toContain("pending")
      })
    ))

  test("that was up for long has its failures forgotten", () =>
    run(
      Effect.gen(function* () {
        let tries = 0
        const { effect } = supervised(
          Effect.sync(() => {
            tries++
            return connection(Effect.as(Effect.sleep("31 seconds"), "exited with code 1"))
          })
        )
        yield* Effect.forkChild(effect)
        for (let minute = 0; minute < 20; minute++) yield* TestClock.adjust("1 minute")
        expect(tries).toBeGreaterThan(15)
      })
    ))

  test("that hangs lets the next have its turn", () =>
    run(
      Effect.gen(function* () {
        const permits = Semaphore.makeUnsafe(1)
        const hanging = supervised(Effect.never, { permits })
        const quick = supervised(Effect.succeed(connection(Effect.never)), { permits })
        yield* Effect.forkChild(hanging.effect)
        yield* TestClock.adjust(1)
        yield* Effect.forkChild(quick.effect)
        yield* TestClock.adjust("150 millis")
        expect(quick.reports).toEqual([])
        yield* TestClock.adjust("100 millis")
        expect([hanging.reports, quick.reports]).toEqual([["starting"], ["starting", "ready"]])
      })
    ))

  test("waits for its turn, and closes everything when it is interrupted", () =>
    run(
      Effect.gen(function* () {
        const permits = Semaphore.makeUnsafe(1)
        let open = 0
        const slow = Effect.acquireRelease(
          Effect.sync(() => void open++),
          () => Effect.sync(() => void open--)
        ).pipe(Effect.andThen(Effect.sleep("180 millis")), Effect.as(connection(Effect.never)))
        const first = supervised(slow, { permits })
        const second = supervised(slow, { permits })
        const fibers = [yield* Effect.forkChild(first.effect), yield* Effect.forkChild(second.effect)]
        yield* TestClock.adjust("100 millis")
        expect([open, first.reports, second.reports]).toEqual([1, ["starting"], []])
        yield* TestClock.adjust("20 seconds")
        expect([open, first.reports.at(-1), second.reports.at(-1)]).toEqual([2, "ready", "ready"])
        yield* Fiber.interruptAll(fibers)
        expect(open).toBe(0)
      })
    ))
})
