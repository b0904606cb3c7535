import { describe, expect, test } from "bun:test"
import { Events, Message, Model, SessionStore, ToolResult, Transcript } from "@cow/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Agent } from "../../src/index.ts"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

/** A run that is interrupted as soon as an event of this type was published. */
const cancelledAt = (
  type: string,
  scripted: ScriptedModel.ScriptedModel,
  tools: Parameters<typeof TestAgent.runOnce>[1] = []
) =>
  TestAgent.test(
    Effect.gen(function* () {
      yield* TestAgent.register(...(tools ?? []))
      const events = yield* TestAgent.collect
      const agent = yield* Agent
      const run = yield* Effect.forkChild(agent.run(TestAgent.request(scripted, { sessionId: "s1" })))
      while (!events.some((event) => event.type === type)) yield* Effect.yieldNow
      for (let i = 0; i < 20; i++) yield* Effect.yieldNow
      yield* Fiber.interrupt(run)
      const exit = yield* Fiber.await(run)
      const messages = yield* (yield* SessionStore).messages("s1")
      const published = [...events]
      const next = ScriptedModel.make([{ text: "still here" }])
      const after = yield* agent.run(TestAgent.request(next, { sessionId: "s1", prompt: "are you there" }))
      return { events: published, exit, messages, next, after }
    })
  )

describe("a cancelled run", () => {
  test("in the middle of a reply keeps the text so far and no half-made call", async () => {
    const scripted = ScriptedModel.make([{ text: "I was saying", calls: [{ name: "echo" }], hang: true }])
    const { after, events, exit, messages } = await cancelledAt("text_delta", scripted)
    expect(Exit.isFailure(exit)).toBe(true)
    expect(TestAgent.ofType(events, "run_finished")[0]).toMatchObject({ status: "cancelled" })
    expect(messages.map(Message.textOf).slice(0, 2)).toEqual(["go", "I was saying"])
    expect(messages.flatMap(Message.toolCallsOf)).toEqual([])
    expect(after.finished.text).toBe("still here")
  })

  test("names behind its marker what tools have running in the background, for this session only", async () => {
    const jobs = TestAgent.tool("jobs", undefined, {
      background: (session) => Effect.succeed(session === "s1" ? ["job_1 (sleep 60)", "job_2"] : [])
    })
    const others = [
      TestAgent.tool("none", undefined, { background: () => Effect.succeed([]) }),
      TestAgent.tool("broken", undefined, { background: () => Effect.die(new Error("out of order")) }),
      TestAgent.tool("odd", undefined, { background: () => Effect.succeed("job_3" as never) })
    ]
    for (const calls of [[], [{ name: "hang" }]]) {
      const scripted = ScriptedModel.make([{ text: "working", calls, hang: calls.length === 0 }])
      const hang = TestAgent.tool("hang", () => Effect.never)
      const { after, messages } = await cancelledAt(
        calls.length === 0 ? "text_delta" : "tool_called",
        scripted,
        [...others, jobs, hang]
      )
      const text = messages.map(Message.textOf).join("\n")
      expect(text).toContain(
        "[The user cancelled this run.]\n[Still running in the background: job_1 (sleep 60), job_2.]"
      )
      expect(after.finished.text).toBe("still here")
    }
    const scripted = ScriptedModel.make([{ text: "working", hang: true }])
    const { messages } = await cancelledAt("text_delta", scripted, others)
    expect(messages.map(Message.textOf).at(-1)).toBe("[The user cancelled this run.]")
  })

  test("in the middle of tools answers every call: the finished one keeps its result", async () => {
    const hang = TestAgent.tool("hang", () => Effect.never)
    const calls = [
      { name: "echo", input: { text: "1" } },
      { name: "hang" },
      { name: "echo", input: { text: "3" } }
    ]
    const scripted = ScriptedModel.make([{ text: "working", calls }])
    const { events, messages, next } = await cancelledAt("tool_finished", scripted, [
      TestAgent.tool("echo"),
      hang
    ])
    const results = messages.flatMap(Message.toolResultsOf)
    expect(results.map(({ status }) => status)).toEqual(["ok", "cancelled", "cancelled"])
    expect(ScriptedModel.resultText(results[1])).toContain("after it had started")
    expect(ScriptedModel.resultText(results[2])).toContain("before it started")
    expect(TestAgent.ofType(events, "tool_called").length).toBe(3)
    expect(TestAgent.ofType(events, "tool_finished").length).toBe(3)
    expect(events.filter(({ type }) => type === "run_finished").length).toBe(1)
    expect(Transcript.isValid(messages)).toBe(true)
    expect(Transcript.isValid(next.requests[0]?.messages ?? [])).toBe(true)
  })

  test("before the first request asks no model", async () => {
    const scripted = ScriptedModel.make([{ text: "too late" }])
    await TestAgent.test(
      Effect.gen(function* () {
        const events = yield* TestAgent.collect
        const sinks = yield* Events
        yield* sinks.addSink((_, { type }) => (type === "run_started" ? Effect.never : Effect.void))
        const agent = yield* Agent
        const run = yield* Effect.forkChild(agent.run(TestAgent.request(scripted, { sessionId: "s1" })))
        while (events.length === 0) yield* Effect.yieldNow
        yield* Fiber.interrupt(run)
        expect(events.map(({ type }) => type)).toEqual(["run_started", "run_finished"])
        expect(events.at(-1)).toMatchObject({ status: "cancelled", steps: 0 })
        expect(scripted.requests.length).toBe(0)
      })
    )
  })

  test("in the middle of parallel calls interrupts and answers all, also those that had to wait", async () => {
    let interrupted = 0
    const hang = TestAgent.tool(
      "hang",
      () =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.sync(() => {
            interrupted++
          })
        ),
      { parallelSafe: true }
    )
    const scripted = ScriptedModel.make([{ calls: Array.from({ length: 12 }, () => ({ name: "hang" })) }])
    const { events, messages } = await cancelledAt("tool_called", scripted, [hang])
    expect(interrupted).toBe(10)
    const results = messages.flatMap(Message.toolResultsOf)
    expect(results.map(({ status }) => status)).toEqual(Array(12).fill("cancelled"))
    const texts = results.map(ScriptedModel.resultText)
    expect(texts.filter((text) => text.includes("after it had started")).length).toBe(10)
    expect(texts.filter((text) => text.includes("before it started")).length).toBe(2)
    expect(TestAgent.ofType(events, "tool_called").length).toBe(12)
    expect(TestAgent.ofType(events, "tool_finished").length).toBe(12)
    expect(Transcript.isValid(messages)).toBe(true)
  })

  test("twice, or after its end, is one end", async () => {
    const scripted = ScriptedModel.make([{ text: "hm", hang: true }])
    await TestAgent.test(
      Effect.gen(function* () {
        const events = yield* TestAgent.collect
        const agent = yield* Agent
        const run = yield* Effect.forkChild(agent.run(TestAgent.request(scripted, { sessionId: "s1" })))
        while (!events.some(({ type }) => type === "text_delta")) yield* Effect.yieldNow
        yield* Effect.all([Fiber.interrupt(run), Fiber.interrupt(run)], { concurrency: 2 })
        yield* Fiber.interrupt(run)
        expect(TestAgent.ofType(events, "run_finished").length).toBe(1)
      })
    )
  })

  test("a retry wait ends at once", async () => {
    const error = ScriptedModel.failure(new Model.RateLimited({ retryAfterMillis: 60_000 }))
    const scripted = ScriptedModel.make([{ error }])
    const { events } = await cancelledAt("retry_scheduled", scripted)
    expect(scripted.requests.length).toBe(1)
    expect(TestAgent.ofType(events, "run_finished")[0]).toMatchObject({ status: "cancelled" })
  })
})

test("a process that was killed in the middle of a tool: the next one answers the open calls and goes on", async () => {
  const calls = ["1", "2"].map((id) => ({ type: "tool_call" as const, id, name: "echo", input: {} }))
  const left: ReadonlyArray<Message.Message> = [
    Message.userText("go"),
    { role: "assistant", parts: [Message.text("working"), ...calls] }
  ]
  await TestAgent.test(
    Effect.gen(function* () {
      const sessions = yield* SessionStore
      yield* sessions.create({ id: "s1", workspace: "/nowhere" })
      yield* sessions.write("s1", { revision: 0, keep: 0, messages: left })
      const scripted = ScriptedModel.make([{ text: "I am back" }])
      const agent = yield* Agent
      const { finished } = yield* agent.run(TestAgent.request(scripted, { sessionId: "s1", prompt: "go on" }))
      expect(finished).toMatchObject({ status: "completed", text: "I am back" })
      const messages = yield* sessions.messages("s1")
      expect(Transcript.isValid(messages)).toBe(true)
      const results = messages.flatMap(Message.toolResultsOf)
      expect(results.map(({ status }) => status)).toEqual(["cancelled", "cancelled"])
      expect(ScriptedModel.resultText(results[0])).toContain("interrupted")
      expect(messages.map(Message.textOf)).toContain("working")
      expect(Message.textOf(scripted.requests[0]?.messages.at(-1) as Message.Message)).toBe("go on")
    })
  )
})

describe("steering", () => {
  const steered = (
    script: (held: Effect.Effect<void>) => ScriptedModel.Script,
    steerAt: string,
    texts: ReadonlyArray<string>
  ) =>
    TestAgent.test(
      Effect.gen(function* () {
        const hold = yield* Deferred.make<void>()
        const holding = TestAgent.tool("hold", () => Effect.as(Deferred.await(hold), ToolResult.ok("held")))
        yield* TestAgent.register(holding, TestAgent.tool("echo"))
        const events = yield* TestAgent.collect
        const agent = yield* Agent
        const scripted = ScriptedModel.make(script(Deferred.await(hold)))
        const run = yield* Effect.forkChild(agent.run(TestAgent.request(scripted, { sessionId: "s1" })))
        while (!events.some(({ type }) => type === steerAt)) yield* Effect.yieldNow
        const outcomes = yield* Effect.forEach(texts, (text) => agent.steer("s1", text))
        yield* Deferred.succeed(hold, undefined)
        const { finished } = yield* Fiber.join(run)
        const idle = yield* agent.steer("s1", "late")
        return { events, finished, idle, outcomes, scripted }
      })
    )

  test("a running call ends, those after it are skipped, and the texts come with the results", async () => {
    const calls = [{ name: "hold" }, { name: "echo" }]
    const { events, idle, outcomes, scripted } = await steered(
      () => [{ calls }, { text: "left" }],
      "tool_called",
      ["go left", "then stop"]
    )
    expect(outcomes).toEqual(["accepted", "accepted"])
    const results = ScriptedModel.newResults(scripted.requests[1])
    expect(results.map(({ status }) => status)).toEqual(["ok", "error"])
    expect(ScriptedModel.resultText(results[1])).toContain("skipped: the user redirected")
    const last = scripted.requests[1]?.messages.at(-1) as Message.Message
    expect(Message.textOf(last)).toBe("1. go left\n2. then stop")
    expect(TestAgent.ofType(events, "steered")).toMatchObject([{ count: 2 }])
    expect(idle).toBe("inactive")
  })

  test("while the model asks for two tools neither runs, and the text stands behind both answers", async () => {
    const { events, scripted } = await steered(
      (pause) => [
        { text: "I will", calls: [{ name: "echo" }, { name: "hold" }], pause },
        { text: "as you like" }
      ],
      "text_delta",
      ["do not"]
    )
    const results = ScriptedModel.newResults(scripted.requests[1])
    expect(results.map(({ status }) => status)).toEqual(["error", "error"])
    expect(results.map(ScriptedModel.resultText)).toEqual(Array(2).fill("skipped: the user redirected"))
    const last = scripted.requests[1]?.messages.at(-1) as Message.Message
    expect(last.parts.map(({ type }) => type)).toEqual(["tool_result", "tool_result", "text"])
    expect(Message.textOf(last)).toBe("do not")
    expect(TestAgent.ofType(events, "steered")).toMatchObject([{ count: 1 }])
    expect(TestAgent.ofType(events, "tool_called").length).toBe(2)
    expect(TestAgent.ofType(events, "tool_finished").length).toBe(2)
  })

  test("while the last answer is given it is not lost: another step follows", async () => {
    const { finished, scripted } = await steered(
      (pause) => [{ text: "bye", pause }, { text: "all right" }],
      "text_delta",
      ["wait"]
    )
    expect(finished.text).toBe("all right")
    expect(scripted.requests.length).toBe(2)
  })

  test("blank and over-long texts are invalid, the seventeenth is refused", async () => {
    const texts = [" ", "x".repeat(8_001), ...Array.from({ length: 17 }, (_, at) => `t${at}`)]
    const { outcomes } = await steered(
      () => [{ calls: [{ name: "hold" }] }, { text: "ok" }],
      "tool_called",
      texts
    )
    expect(outcomes.slice(0, 2)).toEqual(["invalid", "invalid"])
    expect(outcomes.slice(2)).toEqual([...Array.from({ length: 16 }, () => "accepted" as const), "full"])
  })

  test("a second run on a session that is being worked on is refused", async () => {
    const tag = await TestAgent.test(
      Effect.gen(function* () {
        const agent = yield* Agent
        const scripted = ScriptedModel.make([{ hang: true }])
        const run = yield* Effect.forkChild(agent.run(TestAgent.request(scripted, { sessionId: "s1" })))
        yield* TestClock.adjust(1)
        while (scripted.requests.length === 0) yield* Effect.yieldNow
        const second = yield* Effect.flip(agent.run(TestAgent.request(scripted, { sessionId: "s1" })))
        yield* Fiber.interrupt(run)
        return second._tag
      })
    )
    expect(tag).toBe("SessionBusy")
  })
})
