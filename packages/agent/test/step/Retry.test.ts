import { describe, expect, test } from "bun:test"
import { Message, Model } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Agent, AgentLimits } from "../../src/index.ts"
import * as RetryPolicy from "../../src/step/RetryPolicy.ts"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

const { failure } = ScriptedModel

/** Lets the test clock run until the run has ended. */
const toEnd = (scripted: ScriptedModel.ScriptedModel) =>
  TestAgent.test(
    Effect.gen(function* () {
      const run = yield* Effect.forkChild(TestAgent.runOnce(scripted, [TestAgent.tool("echo")]))
      while (run.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 second")
        for (let i = 0; i < 20; i++) yield* Effect.yieldNow
      }
      return yield* Fiber.join(run)
    })
  )

const delays = (events: Parameters<typeof TestAgent.ofType>[0]) =>
  TestAgent.ofType(events, "retry_scheduled").map(({ delay_ms }) => delay_ms)

describe("a failed request", () => {
  test("for overload or transport is tried after 2, 4 and 6 seconds, then the run fails", async () => {
    const reasons = [
      new Model.Overloaded({}),
      new Model.Transport(),
      new Model.Overloaded({}),
      new Model.Transport()
    ]
    const scripted = ScriptedModel.make(reasons.map((reason) => ({ error: failure(reason, "over there") })))
    const { events, outcome } = await toEnd(scripted)
    expect(delays(events)).toEqual([2000, 4000, 6000])
    expect(scripted.requests.length).toBe(4)
    expect(outcome).toMatchObject({
      failure: "provider",
      finished: { status: "failed", error: "over there", steps: 1 }
    })
    expect(TestAgent.ofType(events, "error")).toMatchObject([{ code: "provider", message: "over there" }])
  })

  test("for a rate limit waits as long as the provider says, else 30, 45 and 60 seconds", async () => {
    const limited = (retryAfterMillis?: number) => ({
      error: failure(new Model.RateLimited(retryAfterMillis === undefined ? {} : { retryAfterMillis }))
    })
    const { events, outcome } = await toEnd(
      ScriptedModel.make([limited(), limited(1500), limited(), { text: "now" }])
    )
    expect(delays(events)).toEqual([30_000, 1500, 60_000])
    expect(outcome.finished.text).toBe("now")
  })

  test("with a refused key is final", async () => {
    const scripted = ScriptedModel.make([{ error: failure(new Model.Unauthorized(), "key refused") }])
    const { outcome } = await toEnd(scripted)
    expect(scripted.requests.length).toBe(1)
    expect(outcome.failure).toBe("unauthorized")
  })

  test("after some text makes that text void: the answer has only the good attempt", async () => {
    const scripted = ScriptedModel.make([
      { text: "half an ans", error: failure(new Model.Transport()) },
      { text: "the whole answer" }
    ])
    const { events, messages, outcome } = await toEnd(scripted)
    const types = events.map(({ type }) => type)
    expect(types.indexOf("retry_scheduled")).toBeGreaterThan(types.indexOf("text_delta"))
    expect(outcome.finished.text).toBe("the whole answer")
    expect(messages.length).toBe(2)
  })

  test("a stream that ends without a finish is no answer, and a whole call in it does not run", async () => {
    const early = { calls: [{ name: "echo" }], finish: "none" } as const
    const scripted = ScriptedModel.make([early, { text: "instead" }])
    const { events, outcome } = await toEnd(scripted)
    expect(TestAgent.ofType(events, "tool_called")).toEqual([])
    expect(delays(events)).toEqual([2000])
    expect(outcome.finished.text).toBe("instead")
  })

  test("because calls and results do not match is tried once more", async () => {
    const error = failure(new Model.InvalidRequest({ pairing: true }))
    expect((await toEnd(ScriptedModel.make([{ error }, { text: "ok" }]))).outcome.finished.text).toBe("ok")
    expect((await toEnd(ScriptedModel.make([{ error }, { error }]))).outcome.failure).toBe("provider")
  })
})

describe("a wait that is too long", () => {
  test("is not waited for, and the error names it", () => {
    const error = failure(new Model.RateLimited({ retryAfterMillis: 3_600_000 }), "slow down")
    const decision = RetryPolicy.decide(error, 1, 120)
    expect(decision).toMatchObject({ _tag: "GiveUp" })
    expect(decision).toHaveProperty("message", expect.stringMatching(/slow down.*3600 s.*120 s/))
    expect(RetryPolicy.decide(error, 1, 7200)).toMatchObject({ _tag: "Retry", delayMillis: 3_600_000 })
  })

  test("is only ever the provider's: Cow's own waits keep to the limit", () => {
    const error = failure(new Model.Transport(), "no answer")
    expect(RetryPolicy.decide(error, 2, 3)).toMatchObject({ _tag: "Retry", delayMillis: 3_000 })
    expect(RetryPolicy.decide(error, 1, 3)).toMatchObject({ _tag: "Retry", delayMillis: 2_000 })
  })

  test("is measured against the configured limit", async () => {
    const scripted = ScriptedModel.make([
      { error: failure(new Model.RateLimited({ retryAfterMillis: 5_000 })) }
    ])
    const { outcome } = await TestAgent.test(
      TestAgent.runOnce(scripted).pipe(Effect.provideService(AgentLimits.maxRetryWaitSeconds, 2))
    )
    expect(outcome.finished.error).toContain("5 s")
  })
})

describe("a context that is too long", () => {
  const overflow = { error: failure(new Model.ContextOverflow(), "prompt is too long") }

  test("is shortened and sent again, as part of the same step", async () => {
    const scripted = ScriptedModel.make((request) =>
      JSON.stringify(request.messages).length > 30_000 ? overflow : { text: "fits" }
    )
    const big = TestAgent.tool("echo", () =>
      Effect.succeed({ _tag: "Ok", content: [{ type: "text", text: "x".repeat(40_000) }] })
    )
    const calls = ScriptedModel.make((request, at) =>
      at === 0
        ? { calls: [{ name: "echo" }] }
        : JSON.stringify(request.messages).length > 30_000
          ? overflow
          : { text: "fits" }
    )
    expect(
      (await TestAgent.test(TestAgent.runOnce(scripted, [], { prompt: "small" }))).outcome.finished.text
    ).toBe("fits")
    const { events, messages, outcome } = await TestAgent.test(TestAgent.runOnce(calls, [big]))
    expect(outcome.finished).toMatchObject({ status: "completed", text: "fits", steps: 2 })
    const [compacted] = TestAgent.ofType(events, "context_compacted")
    expect(compacted?.before_tokens).toBeGreaterThan(compacted?.after_tokens ?? 0)
    expect(JSON.stringify(messages).length).toBeGreaterThan(40_000)
  })

  test("that cannot be shortened at all is not sent again, and the session is as it was", async () => {
    const scripted = ScriptedModel.make([overflow, { text: "small enough" }])
    await TestAgent.test(
      Effect.gen(function* () {
        const { messages, outcome } = yield* TestAgent.runOnce(scripted)
        expect(scripted.requests.length).toBe(1)
        expect(outcome).toMatchObject({ failure: "context_overflow", finished: { status: "failed" } })
        expect(outcome.finished.error).toContain("prompt is too long")
        expect(messages).toEqual([Message.userText("go")])
        const next = yield* (yield* Agent).run(TestAgent.request(scripted, { sessionId: "s1" }))
        expect(next.finished.text).toBe("small enough")
      })
    )
  })

  test("that cannot be shortened enough ends as failed after three tries, each smaller", async () => {
    const scripted = ScriptedModel.make((_, at) => (at === 0 ? { calls: [{ name: "echo" }] } : overflow))
    const big = TestAgent.tool("echo", () =>
      Effect.succeed({ _tag: "Ok", content: [{ type: "text", text: "x".repeat(49_000) }] })
    )
    const { outcome } = await TestAgent.test(TestAgent.runOnce(scripted, [big]))
    expect(outcome.failure).toBe("context_overflow")
    const sizes = scripted.requests.slice(1).map((request) => JSON.stringify(request.messages).length)
    expect(sizes.length).toBe(3)
    expect(sizes).toEqual([...sizes].sort((left, right) => right - left))
    expect(new Set(sizes).size).toBe(3)
  })
})
