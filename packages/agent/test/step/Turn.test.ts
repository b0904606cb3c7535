import { describe, expect, test } from "bun:test"
import { Events, Message, Model, SessionStore, ToolResult, Transcript } from "@cow/core"
import * as Effect from "effect/Effect"
import { Agent } from "../../src/index.ts"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

const echo = TestAgent.tool("echo")
const call = (text = "") => ({ calls: [{ name: "echo", input: { text } }] })

describe("a plain run", () => {
  test("a text answer is one request and its events in order", async () => {
    const scripted = ScriptedModel.make([{ text: "Hello there." }])
    const { events, messages, outcome } = await TestAgent.test(TestAgent.runOnce(scripted))
    expect(scripted.requests.length).toBe(1)
    expect([...new Set(events.map(({ type }) => type))]).toEqual([
      "run_started",
      "step_started",
      "text_delta",
      "run_finished"
    ])
    expect(outcome.finished).toMatchObject({
      status: "completed",
      text: "Hello there.",
      steps: 1,
      error: null
    })
    expect(outcome.finished.usage).toEqual({ input_tokens: 10, output_tokens: 5, cached_tokens: 0 })
    expect(messages).toEqual([Message.userText("go"), Message.assistantText("Hello there.")])
  })

  test("a tool call, then text: user, assistant with the call, user with the result", async () => {
    const scripted = ScriptedModel.make([{ text: "Let me see.", ...call("moo") }, { text: "done" }])
    const { events, messages, outcome } = await TestAgent.test(TestAgent.runOnce(scripted, [echo]))
    expect(messages.map(({ parts, role }) => [role, ...parts.map(({ type }) => type)])).toEqual([
      ["user", "text"],
      ["assistant", "text", "tool_call"],
      ["user", "tool_result"],
      ["assistant", "text"]
    ])
    expect(ScriptedModel.resultText(ScriptedModel.newResults(scripted.requests[1])[0])).toBe("echo:moo")
    expect(TestAgent.ofType(events, "tool_called")).toMatchObject([{ tool: "echo", input: { text: "moo" } }])
    expect(TestAgent.ofType(events, "tool_finished")).toMatchObject([
      { tool: "echo", status: "ok", content: "echo:moo" }
    ])
    expect(outcome.finished).toMatchObject({ status: "completed", text: "done", steps: 2 })
    expect(outcome.finished.usage.input_tokens).toBe(20)
  })

  test("what a step says it sent is exactly what the request carries", async () => {
    const scripted = ScriptedModel.make([call(), { text: "ok" }])
    const tools = ["c", "a", "b"].map((name) => TestAgent.tool(name))
    const { events } = await TestAgent.test(TestAgent.runOnce(scripted, [echo, ...tools]))
    const sent = TestAgent.ofType(events, "step_started").map((event) => event.tools)
    expect(sent).toEqual(scripted.requests.map((request) => request.tools.map(({ name }) => name)))
    expect(sent[0]).toEqual(["a", "b", "c", "echo"])
  })

  test("a listener that throws costs nothing but itself", async () => {
    const scripted = ScriptedModel.make([call("1"), { text: "ok" }])
    const heard: Array<string> = []
    const { outcome } = await TestAgent.test(
      Effect.gen(function* () {
        const sinks = yield* Events
        yield* sinks.addSink(() => Effect.die(new Error("broken listener")))
        yield* sinks.addSink((_, { type }) => Effect.sync(() => void heard.push(type)))
        return yield* TestAgent.runOnce(scripted, [echo])
      })
    )
    expect(outcome.finished).toMatchObject({ status: "completed", text: "ok" })
    expect(heard[0]).toBe("run_started")
    expect(heard.at(-1)).toBe("run_finished")
  })

  test("the usage is the sum over all requests, also over a failed one that told what it used", async () => {
    const reported = { inputTokens: 100, outputTokens: 1, cachedTokens: 40 }
    const scripted = ScriptedModel.make([
      { reported, text: "half", error: ScriptedModel.failure(new Model.Overloaded({ retryAfterMillis: 0 })) },
      {
        reported,
        text: "half",
        finish: "none",
        error: ScriptedModel.failure(new Model.InvalidRequest({ pairing: true }))
      }
    ])
    const { outcome } = await TestAgent.test(TestAgent.runOnce(scripted))
    expect(outcome.finished.status).toBe("failed")
    expect(outcome.finished.usage).toEqual({ input_tokens: 200, output_tokens: 2, cached_tokens: 80 })
    const good = ScriptedModel.make([{ reported, ...call("1") }, { text: "ok" }])
    const { outcome: two } = await TestAgent.test(TestAgent.runOnce(good, [echo]))
    expect(two.finished.usage).toEqual({ input_tokens: 20, output_tokens: 10, cached_tokens: 0 })
  })

  test("a fault of Cow's own ends the run as failed, with its last event", async () => {
    const broken = ScriptedModel.make(() => {
      throw new Error("a bug")
    })
    const { events, outcome } = await TestAgent.test(TestAgent.runOnce(broken))
    expect(outcome.failure).toBe("internal")
    expect(events.at(-1)).toMatchObject({ type: "run_finished", status: "failed", error: "a bug" })
  })
})

describe("the step limit", () => {
  const table: ReadonlyArray<
    [string, number, ReadonlyArray<ScriptedModel.ScriptedTurn>, string, string, number]
  > = [
    ["an answer inside the limit", 2, [call(), { text: "final" }], "completed", "final", 2],
    ["one last answer without tools", 2, [call("1"), call("2"), { text: "sum" }], "limit", "sum", 3],
    ["text at once", 1, [{ text: "t" }], "completed", "t", 1],
    ["one round, then the last answer", 1, [call(), { text: "t" }], "limit", "t", 2]
  ]
  for (const [name, maxSteps, script, status, text, requests] of table)
    test(name, async () => {
      const scripted = ScriptedModel.make(script)
      const { messages, outcome } = await TestAgent.test(TestAgent.runOnce(scripted, [echo], { maxSteps }))
      expect(outcome.finished).toMatchObject({ status, text, steps: requests })
      expect(scripted.requests.length).toBe(requests)
      expect(scripted.requests.map(({ toolChoice }) => toolChoice === "none")).toEqual(
        scripted.requests.map((_, at) => status === "limit" && at === requests - 1)
      )
      expect(Transcript.isValid(messages)).toBe(true)
    })

  test("a call in the last answer does not run and leaves no open call", async () => {
    let runs = 0
    const counting = TestAgent.tool("echo", () => Effect.sync(() => ToolResult.ok(String(++runs))))
    const scripted = ScriptedModel.make([call("1"), call("2"), call("3"), call("4")])
    const { messages, outcome } = await TestAgent.test(
      TestAgent.runOnce(scripted, [counting], { maxSteps: 2 })
    )
    expect(runs).toBe(2)
    expect(outcome.finished.status).toBe("limit")
    expect(outcome.finished.text).not.toBe("")
    expect(Transcript.isValid(messages)).toBe(true)
  })

  test("a provider that fails the last answer still ends at the limit", async () => {
    const error = ScriptedModel.failure(new Model.InvalidRequest({ pairing: false }))
    const scripted = ScriptedModel.make([call("1"), { error }])
    const { outcome } = await TestAgent.test(TestAgent.runOnce(scripted, [echo], { maxSteps: 1 }))
    expect(outcome.finished.status).toBe("limit")
  })

  test("the request for the last answer is not in the history", async () => {
    const scripted = ScriptedModel.make([call("1"), { text: "sum" }])
    const { messages } = await TestAgent.test(TestAgent.runOnce(scripted, [echo], { maxSteps: 1 }))
    const last = scripted.requests[1]?.messages.at(-1) as Message.Message
    expect(Message.textOf(last)).toContain("no tool can be called")
    expect(messages.map(Message.textOf).join("")).not.toContain("no tool can be called")
  })
})

test("the next run of a session that reached the limit starts clean", async () => {
  const scripted = ScriptedModel.make([call("1"), { text: "sum" }, { text: "next" }])
  await TestAgent.test(
    Effect.gen(function* () {
      yield* TestAgent.runOnce(scripted, [echo], { maxSteps: 1 })
      const { finished } = yield* (yield* Agent).run(TestAgent.request(scripted, { sessionId: "s1" }))
      expect(finished).toMatchObject({ status: "completed", text: "next", steps: 1 })
      expect(scripted.requests[2]?.toolChoice).toBe("auto")
      expect(JSON.stringify(scripted.requests[2]?.messages)).not.toContain("no tool can be called")
      const messages = yield* (yield* SessionStore).messages("s1")
      expect(messages.map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant"
      ])
    })
  )
})

describe("empty replies", () => {
  test("twice nothing at the start is an apology", async () => {
    const scripted = ScriptedModel.make([{}, {}])
    const { outcome } = await TestAgent.test(TestAgent.runOnce(scripted))
    expect(scripted.requests.length).toBe(2)
    expect(outcome.finished.status).toBe("completed")
    expect(outcome.finished.text).toContain("sorry")
  })

  test("after a tool the model is asked explicitly, and the request is gone afterwards", async () => {
    const scripted = ScriptedModel.make([call(), {}, { reasoning: "hm" }, { text: "here" }])
    const { messages, outcome } = await TestAgent.test(TestAgent.runOnce(scripted, [echo]))
    expect(outcome.finished).toMatchObject({ status: "completed", text: "here", steps: 2 })
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"])
    expect(messages.map(Message.textOf).join("")).not.toContain("empty")
  })

  test("a tool call on explicit request runs", async () => {
    const scripted = ScriptedModel.make([call("1"), {}, {}, call("2"), { text: "fine" }])
    const { events, outcome } = await TestAgent.test(TestAgent.runOnce(scripted, [echo]))
    expect(TestAgent.ofType(events, "tool_finished").map(({ content }) => content)).toEqual([
      "echo:1",
      "echo:2"
    ])
    expect(outcome.finished.text).toBe("fine")
  })

  test("a run that allows an empty answer ends with it", async () => {
    const scripted = ScriptedModel.make([{}])
    const { outcome } = await TestAgent.test(TestAgent.runOnce(scripted, [], { allowEmptyAnswer: true }))
    expect(outcome.finished).toMatchObject({ status: "completed", text: "" })
  })
})

describe("repetition", () => {
  const failing = TestAgent.tool("echo", () => Effect.succeed(ToolResult.failed("no")))

  test("the sixth identical call is refused and the run goes on", async () => {
    let runs = 0
    const same = TestAgent.tool("echo", () =>
      Effect.sync(() => ToolResult.ok("same".repeat(Math.min(1, ++runs))))
    )
    const scripted = ScriptedModel.make([...Array.from({ length: 6 }, () => call("x")), { text: "ok" }])
    const { outcome } = await TestAgent.test(TestAgent.runOnce(scripted, [same]))
    expect(runs).toBe(5)
    expect(outcome.finished).toMatchObject({ status: "completed", text: "ok" })
  })

  test("other arguments failing each time: six run, two are refused, the ninth ends the run", async () => {
    const scripted = ScriptedModel.make((_, at) => call(String(at)))
    const { messages, outcome } = await TestAgent.test(TestAgent.runOnce(scripted, [failing]))
    expect(scripted.requests.length).toBe(9)
    expect(outcome.finished.text).toContain("sorry")
    expect(outcome).toMatchObject({ failure: "repetition", finished: { status: "failed" } })
    expect(Transcript.isValid(messages)).toBe(true)
  })

  test("a run that ends in the middle of four calls has a result for each, and runs none behind", async () => {
    let runs = 0
    const last = TestAgent.tool("last", () => Effect.sync(() => ToolResult.ok(String(++runs))))
    const four = ["a", "b", "c"].map((text) => ({ name: "echo", input: { text } }))
    const scripted = ScriptedModel.make((_, at) =>
      at < 7 ? call(String(at)) : { calls: [...four, { name: "last" }] }
    )
    const { messages, outcome } = await TestAgent.test(TestAgent.runOnce(scripted, [failing, last]))
    expect(outcome.failure).toBe("repetition")
    const results = messages.at(-2) as Message.Message
    expect(Message.toolResultsOf(results).map(({ status }) => status)).toEqual(Array(4).fill("error"))
    expect(Transcript.isValid(messages)).toBe(true)
    expect(runs).toBe(0)
  })

  test("a name that is no tool, or arguments that never fit, end the run too", async () => {
    const strict = TestAgent.tool("echo", undefined, {
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] }
    })
    for (const calls of [[{ name: "nope" }], [{ name: "echo" }], [{ name: "echo", raw: '{"a":x}' }]]) {
      const scripted = ScriptedModel.make(() => ({ calls }))
      const { outcome } = await TestAgent.test(TestAgent.runOnce(scripted, [strict]))
      expect(outcome.failure).toBe("repetition")
      expect(scripted.requests.length).toBe(9)
    }
  })

  test("calls that the output limit cuts off again and again end the run, also beside whole ones", async () => {
    const cut = { name: "echo", raw: '{"text":"function () { }' }
    for (const calls of [[cut], [{ name: "other", input: {} }, cut]]) {
      const scripted = ScriptedModel.make(() => ({ calls, finish: "length" }))
      const { messages, outcome } = await TestAgent.test(
        TestAgent.runOnce(scripted, [echo, TestAgent.tool("other")])
      )
      expect(scripted.requests.length).toBe(4)
      expect(outcome).toMatchObject({ failure: "repetition", finished: { status: "failed" } })
      expect(outcome.finished.error).toContain("output limit")
      expect(Transcript.isValid(messages)).toBe(true)
    }
  })

  test("the request for an answer after nothing is part of one request only", async () => {
    const scripted = ScriptedModel.make([call("1"), {}, {}, call("2"), {}, { text: "ok" }])
    await TestAgent.test(TestAgent.runOnce(scripted, [echo]))
    const asks = scripted.requests.map(
      ({ messages }) => JSON.stringify(messages).split("was empty").length - 1
    )
    expect(asks).toEqual([0, 0, 0, 1, 0, 0])
  })
})
