import { describe, expect, test } from "bun:test"
import { type Message, Message as Messages, SessionStore, type Tool, ToolResult } from "@cow/core"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Agent, AgentLimits } from "../../src/index.ts"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

type Run = Tool.Tool["run"]

const odd = (run: () => unknown): Run => run as unknown as Run
const gives = (value: unknown): Run => odd(() => Effect.succeed(value))

/** A run whose first reply calls `odd` between two good tools. */
const between = async (run: Run, more: Parameters<typeof TestAgent.tool>[2] = {}) => {
  const scripted = ScriptedModel.make([
    {
      calls: [{ name: "good", input: { text: "1" } }, { name: "odd" }, { name: "good", input: { text: "3" } }]
    },
    { text: "done" }
  ])
  const { events, outcome } = await TestAgent.test(
    TestAgent.runOnce(scripted, [TestAgent.tool("good"), TestAgent.tool("odd", run, more)])
  )
  const results = ScriptedModel.newResults(scripted.requests[1])
  const finished = TestAgent.ofType(events, "tool_finished")
  return { outcome, results, finished, texts: results.map(ScriptedModel.resultText) }
}

const expectOthersFine = ({ finished, outcome, results }: Awaited<ReturnType<typeof between>>) => {
  expect(outcome.finished).toMatchObject({ status: "completed", text: "done" })
  expect([results[0]?.status, results[2]?.status]).toEqual(["ok", "ok"])
  expect(finished.map(({ tool }) => tool)).toEqual(["good", "odd", "good"])
}

describe("a tool that breaks costs its own call, by name and in its own words:", () => {
  const cases: ReadonlyArray<readonly [string, () => unknown, string]> = [
    [
      "it throws before it gives an Effect",
      () => {
        throw new Error("boom")
      },
      "boom"
    ],
    [
      "it throws a text",
      () => {
        throw "just words"
      },
      "just words"
    ],
    [
      "it throws nothing",
      () => {
        throw undefined
      },
      "undefined"
    ],
    ["it gives no Effect", () => ({ _tag: "Ok", content: [] }), "where an Effect is expected"],
    ["it gives undefined", () => undefined, "where an Effect is expected"],
    ["it gives a Promise", async () => ToolResult.ok("x"), "gave a Promise"],
    ["its Promise is rejected", () => Promise.reject(new Error("too late")), "too late"],
    ["its Effect dies", () => Effect.die(new Error("dead")), "dead"],
    ["its Effect fails", () => Effect.fail("untyped"), "untyped"],
    ["what it waits for is rejected", () => Effect.promise(() => Promise.reject(new Error("io"))), "io"]
  ]
  for (const [what, run, words] of cases)
    test(what, async () => {
      const seen = await between(odd(run))
      expectOthersFine(seen)
      expect(seen.results[1]?.status).toBe("error")
      expect(seen.texts[1]).toStartWith("odd failed: ")
      expect(seen.texts[1]).toContain(words)
    })
})

describe("a tool that interrupts", () => {
  const ways: ReadonlyArray<readonly [string, Effect.Effect<ToolResult.ToolResult>]> = [
    ["itself", Effect.interrupt],
    [
      "the fiber it runs in",
      Effect.withFiber((fiber) => Effect.andThen(Fiber.interrupt(fiber), Effect.never))
    ],
    [
      "a fiber of its own that it waits for",
      Effect.gen(function* () {
        const child = yield* Effect.forkChild(Effect.never)
        yield* Fiber.interrupt(child)
        return yield* Fiber.join(child)
      })
    ],
    [
      "itself after a while",
      Effect.andThen(
        Effect.forEach([1, 2, 3], () => Effect.yieldNow),
        Effect.interrupt
      )
    ]
  ]
  for (const [what, run] of ways)
    test(`${what} has its call cancelled, and the run goes on`, async () => {
      for (const parallelSafe of [false, true]) {
        const seen = await between(() => run, { parallelSafe })
        expectOthersFine(seen)
        expect(seen.results[1]?.status).toBe("cancelled")
        expect(seen.texts[1]).toContain("odd interrupted itself")
      }
    })

  test("nobody is cancelled with the run, which waits for what it cleans up", () =>
    TestAgent.test(
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        let cleaned = false
        const cleanUp = Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => {
            cleaned = true
          })
        )
        const hang = TestAgent.tool("hang", () =>
          Effect.onInterrupt(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never), () => cleanUp)
        )
        const quits = TestAgent.tool("quits", () => Effect.interrupt)
        yield* TestAgent.register(hang, quits)
        const scripted = ScriptedModel.make([{ calls: [{ name: "quits" }, { name: "hang" }] }])
        const run = yield* Effect.forkChild(
          (yield* Agent).run(TestAgent.request(scripted, { sessionId: "s1" }))
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(run)
        expect(Exit.hasInterrupts(yield* Fiber.await(run))).toBe(true)
        expect(cleaned).toBe(true)
        const messages = yield* (yield* SessionStore).messages("s1")
        const texts = messages.flatMap(Messages.toolResultsOf).map(ScriptedModel.resultText)
        expect(texts[0]).toContain("quits interrupted itself")
        expect(texts[1]).toContain("cancelled by the user")
      })
    ))
})

describe("a tool that gives no result gives an error that names it:", () => {
  const circular: Record<string, unknown> = { a: 1 }
  circular.self = circular
  const cases: ReadonlyArray<readonly [string, unknown]> = [
    ["undefined", undefined],
    ["null", null],
    ["a text", "fine"],
    ["a number", 7],
    ["a list", [{ type: "text", text: "x" }]],
    ["no _tag", { content: [] }],
    ["an unknown _tag", { _tag: "Success", value: 1, content: [] }],
    ["no content", { _tag: "Ok" }],
    ["content that is a text", { _tag: "Ok", content: "x" }],
    ["content with a hole", { _tag: "Ok", content: new Array(2) }],
    ["a part that is null", { _tag: "Ok", content: [null] }],
    ["a part of another type", { _tag: "Ok", content: [{ type: "audio", data: "" }] }],
    ["a text that is no text", { _tag: "Ok", content: [{ type: "text", text: 5 }] }],
    ["an image without data", { _tag: "Ok", content: [{ type: "image", mediaType: "image/png" }] }],
    ["a circle", { _tag: "Ok", content: [], structured: circular }],
    ["a bigint in JSON", { _tag: "Ok", content: [], structured: { n: 1n } }],
    ["a function for JSON", { _tag: "Ok", content: [], structured: () => 1 }],
    [
      "a getter that throws",
      {
        _tag: "Ok",
        get content() {
          throw new Error("trap")
        }
      }
    ]
  ]
  for (const [what, value] of cases)
    test(what, async () => {
      const seen = await between(gives(value))
      expectOthersFine(seen)
      expect(seen.results[1]?.status).toBe("error")
      expect(seen.texts[1]).toStartWith("odd gave no result that can be used: ")
    })
})

test("every good result comes through as it is", async () => {
  const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const
  const good = [
    ToolResult.ok([Messages.text("a"), image], { structured: { n: [1] }, display: "shown" }),
    ToolResult.failed("no", { structured: null }),
    ToolResult.timeout("late"),
    ToolResult.denied("why"),
    ToolResult.cancelled("stop")
  ]
  for (const result of good) {
    const seen = await between(gives(result))
    expectOthersFine(seen)
    expect(seen.results[1]).toMatchObject({ status: ToolResult.statusOf(result), content: result.content })
  }
})

test("a tool that changes its input changes no history", async () => {
  const scripted = ScriptedModel.make([
    { calls: [{ name: "eats", input: { text: "mine" } }] },
    { text: "done" }
  ])
  const eats = TestAgent.tool("eats", (input) =>
    Effect.sync(() => {
      for (const key of Object.keys(input)) delete (input as Record<string, unknown>)[key]
      return ToolResult.ok("eaten")
    })
  )
  const { messages } = await TestAgent.test(TestAgent.runOnce(scripted, [eats]))
  expect(messages.flatMap(Messages.toolCallsOf).map(({ input }) => input)).toEqual([{ text: "mine" }])
})

describe("a tool that hangs ends as timeout", () => {
  const hangFor = (more: Parameters<typeof TestAgent.tool>[2], seconds: number) =>
    TestAgent.test(
      Effect.gen(function* () {
        const scripted = ScriptedModel.make([{ calls: [{ name: "hang" }] }, { text: "done" }])
        const run = yield* Effect.forkChild(
          TestAgent.runOnce(scripted, [TestAgent.tool("hang", () => Effect.never, more)])
        )
        while (scripted.requests.length < 1) yield* Effect.yieldNow
        for (let at = 0; at < 50; at++) yield* Effect.yieldNow
        yield* TestClock.adjust(Duration.seconds(seconds - 1))
        const early = scripted.requests.length
        yield* TestClock.adjust(Duration.seconds(1))
        const { outcome } = yield* Fiber.join(run)
        const [result] = ScriptedModel.newResults(scripted.requests[1])
        return { early, outcome, result: result as Message.ToolResultPart }
      })
    )

  const cases: ReadonlyArray<readonly [string, Parameters<typeof TestAgent.tool>[2], number]> = [
    ["after 20 s where it changes nothing", {}, 20],
    ["after 60 s where it may change something", { spec: { mutates_data: true } }, 60],
    ["after what it says itself", { timeout: Duration.seconds(7) }, 7],
    ["after its kind's limit where it says something odd", { timeout: "soon" as never }, 20]
  ]
  for (const [what, more, seconds] of cases)
    test(what, async () => {
      const { early, outcome, result } = await hangFor(more, seconds)
      expect(early).toBe(1)
      expect(outcome.finished.status).toBe("completed")
      expect(result.status).toBe("timeout")
      expect(ScriptedModel.resultText(result)).toBe(
        `hang timed out after ${seconds}s; its outcome is unknown.`
      )
    })

  test("not at all where it keeps its own limit, and as the app sets the limits", () =>
    TestAgent.test(
      Effect.gen(function* () {
        const slow = TestAgent.tool(
          "slow",
          () => Effect.as(Effect.sleep("1 hour"), ToolResult.ok("at last")),
          {
            timeout: Duration.infinity
          }
        )
        const scripted = ScriptedModel.make([{ calls: [{ name: "slow" }] }, { text: "done" }])
        const run = yield* Effect.forkChild(
          Effect.provideService(TestAgent.runOnce(scripted, [slow]), AgentLimits.readToolSeconds, 1)
        )
        for (let at = 0; at < 200; at++) yield* Effect.yieldNow
        yield* TestClock.adjust("1 hour")
        yield* Fiber.join(run)
        expect(ScriptedModel.newResults(scripted.requests[1])[0]?.status).toBe("ok")
      })
    ))
})
