import { describe, expect, test } from "bun:test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { type AgentEvent, Events } from "../../src/index.ts"

const say = (text: string): AgentEvent.AgentEvent => ({ type: "text_delta", text })

const run = <A, E>(body: (events: Events["Service"]) => Effect.Effect<A, E, Scope.Scope>) => {
  const log: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void log.push(String([message].flat()[0])))])
  return Effect.flatMap(Events, body).pipe(
    Effect.scoped,
    Effect.provide(Layer.merge(Events.layer, logger)),
    Effect.map((value) => ({ value, log })),
    Effect.runPromise
  )
}

describe("publish", () => {
  test("tells every sink in the order they were added, each waited for", () =>
    run((events) =>
      Effect.gen(function* () {
        const heard: Array<string> = []
        const sink = (name: string) => (id: string, event: AgentEvent.AgentEvent) =>
          Effect.gen(function* () {
            yield* Effect.yieldNow
            heard.push(`${name} ${id} ${event.type === "text_delta" ? event.text : ""}`)
          })
        yield* events.addSink(sink("one"))
        yield* events.addSink(sink("two"))
        yield* events.publish("r", say("a"))
        yield* events.publish("r", say("b"))
        expect(heard).toEqual(["one r a", "two r a", "one r b", "two r b"])
      })
    ))

  test("goes on past a sink that dies or throws, and logs it", async () => {
    const { log } = await run((events) =>
      Effect.gen(function* () {
        const heard: Array<string> = []
        yield* events.addSink(() => Effect.die("boom"))
        yield* events.addSink(() => {
          throw new Error("bang")
        })
        yield* events.addSink((_, event) => Effect.sync(() => void heard.push(event.type)))
        yield* events.publish("r", say("a"))
        expect(heard).toEqual(["text_delta"])
      })
    )
    expect(log).toEqual([
      "a listener failed on text_delta: it failed: boom",
      "a listener failed on text_delta: it failed: bang"
    ])
  })

  test("interrupted in a sink it ends there, and that is no failure of the sink", async () => {
    const { log } = await run((events) =>
      Effect.gen(function* () {
        const inside = yield* Deferred.make<void>()
        const heard: Array<string> = []
        yield* events.addSink(() => Effect.andThen(Deferred.succeed(inside, undefined), Effect.never))
        yield* events.addSink((_, event) => Effect.sync(() => void heard.push(event.type)))
        const fiber = yield* Effect.forkChild(events.publish("r", say("a")))
        yield* Deferred.await(inside)
        yield* Fiber.interrupt(fiber)
        expect(heard).toEqual([])
      })
    )
    expect(log).toEqual([])
  })

  test("stops telling a sink whose scope has closed, also one that was added twice", () =>
    run((events) =>
      Effect.gen(function* () {
        let count = 0
        const sink = () => Effect.sync(() => void count++)
        const scope = yield* Scope.make()
        yield* events.addSink(sink)
        yield* Scope.provide(events.addSink(sink), scope)
        yield* events.publish("r", say("a"))
        expect(count).toBe(2)
        yield* Scope.close(scope, Exit.void)
        yield* events.publish("r", say("a"))
        expect(count).toBe(3)
      })
    ))

  test("a sink that closes itself while it is told costs no other sink the event", () =>
    run((events) =>
      Effect.gen(function* () {
        const heard: Array<string> = []
        const scope = yield* Scope.make()
        yield* Scope.provide(
          events.addSink(() => Scope.close(scope, Exit.void)),
          scope
        )
        yield* events.addSink(() => Effect.sync(() => void heard.push("second")))
        yield* events.publish("r", say("a"))
        expect(heard).toEqual(["second"])
      })
    ))
})
