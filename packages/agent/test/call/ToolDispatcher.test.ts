import { describe, expect, test } from "bun:test"
import { Message, ToolGate, ToolResult, Transcript, UnknownToolAdvice } from "@cow/core"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

const statuses = (scripted: ScriptedModel.ScriptedModel, at = 1) =>
  ScriptedModel.newResults(scripted.requests[at]).map(({ status }) => status)
const texts = (scripted: ScriptedModel.ScriptedModel, at = 1) =>
  ScriptedModel.newResults(scripted.requests[at]).map(ScriptedModel.resultText)

const calling = (...names: ReadonlyArray<string>) => ({ calls: names.map((name) => ({ name, input: {} })) })

describe("results", () => {
  test("three calls that need each other end together, in the model's order", async () => {
    const scripted = ScriptedModel.make([calling("a", "b", "c"), { text: "ok" }])
    await TestAgent.test(
      Effect.gen(function* () {
        const gates = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
        // a waits for b, b for c: only all at once can end, and c ends first.
        const waits = (
          name: string,
          on: Deferred.Deferred<void> | undefined,
          opens: Deferred.Deferred<void> | undefined
        ) =>
          TestAgent.tool(
            name,
            () =>
              Effect.gen(function* () {
                if (on !== undefined) yield* Deferred.await(on)
                if (opens !== undefined) yield* Deferred.succeed(opens, undefined)
                return ToolResult.ok(name)
              }),
            { parallelSafe: true }
          )
        const tools = [
          waits("a", gates[0], undefined),
          waits("b", gates[1], gates[0]),
          waits("c", undefined, gates[1])
        ]
        yield* TestAgent.runOnce(scripted, tools)
      })
    )
    expect(texts(scripted)).toEqual(["a", "b", "c"])
    expect(
      scripted.requests[1]?.messages.filter((message) => Message.toolResultsOf(message).length > 0).length
    ).toBe(1)
  })

  test("calls that are not safe beside each other run one after the other, in the model's order", async () => {
    const order: Array<string> = []
    const slow = (name: string) =>
      TestAgent.tool(name, () =>
        Effect.gen(function* () {
          order.push(`${name} begins`)
          yield* Effect.yieldNow
          order.push(`${name} ends`)
          return ToolResult.ok(name)
        })
      )
    const scripted = ScriptedModel.make([calling("b", "a"), { text: "ok" }])
    await TestAgent.test(TestAgent.runOnce(scripted, [slow("a"), slow("b")]))
    expect(order).toEqual(["b begins", "b ends", "a begins", "a ends"])
  })

  test("one that is not safe runs alone between those that are, and the results keep the model's order", async () => {
    const running = new Set<string>()
    const beside: Record<string, ReadonlyArray<string>> = {}
    const watch = (name: string, parallelSafe: boolean) =>
      TestAgent.tool(
        name,
        () =>
          Effect.gen(function* () {
            running.add(name)
            for (let at = 0; at < 5; at++) yield* Effect.yieldNow
            beside[name] = [...running].sort()
            for (let at = 0; at < 5; at++) yield* Effect.yieldNow
            running.delete(name)
            return ToolResult.ok(name)
          }),
        { parallelSafe }
      )
    const scripted = ScriptedModel.make([calling("a", "b", "unsafe", "c", "d"), { text: "ok" }])
    const tools = [...["a", "b", "c", "d"].map((name) => watch(name, true)), watch("unsafe", false)]
    await TestAgent.test(TestAgent.runOnce(scripted, tools))
    expect(beside).toEqual({
      a: ["a", "b"],
      b: ["a", "b"],
      unsafe: ["unsafe"],
      c: ["c", "d"],
      d: ["c", "d"]
    })
    expect(texts(scripted)).toEqual(["a", "b", "unsafe", "c", "d"])
  })

  test("a call that timed out is not sent again with the same arguments in the run", async () => {
    let runs = 0
    const slow = TestAgent.tool("slow", () =>
      Effect.sync(() => {
        runs++
        return ToolResult.timeout("late")
      })
    )
    const scripted = ScriptedModel.make([calling("slow"), calling("slow"), { text: "ok" }])
    await TestAgent.test(TestAgent.runOnce(scripted, [slow]))
    expect(runs).toBe(1)
    expect(statuses(scripted)).toEqual(["timeout"])
    expect(statuses(scripted, 2)).toEqual(["error"])
    expect(texts(scripted, 2)[0]).toContain("timed out")
  })

  test("at most ten run at once, and fifty calls in a reply all get results", async () => {
    let now = 0
    let most = 0
    const counting = TestAgent.tool(
      "count",
      () =>
        Effect.gen(function* () {
          most = Math.max(most, ++now)
          for (let i = 0; i < 5; i++) yield* Effect.yieldNow
          now--
          return ToolResult.ok("counted")
        }),
      { parallelSafe: true }
    )
    const calls = Array.from({ length: 50 }, (_, at) => ({ name: "count", input: { text: String(at) } }))
    const scripted = ScriptedModel.make([{ calls }, { text: "ok" }])
    await TestAgent.test(TestAgent.runOnce(scripted, [counting]))
    expect(most).toBe(10)
    expect(statuses(scripted)).toEqual(Array.from({ length: 50 }, () => "ok"))
  })

  test("two calls with one id are told apart", async () => {
    const calls = [
      { id: "same", name: "echo", input: { text: "1" } },
      { id: "same", name: "echo", input: { text: "2" } }
    ]
    const scripted = ScriptedModel.make([{ calls }, { calls: [calls[0] as never] }, { text: "ok" }])
    const { messages } = await TestAgent.test(TestAgent.runOnce(scripted, [TestAgent.tool("echo")]))
    expect(texts(scripted)).toEqual(["echo:1", "echo:2"])
    const ids = messages.flatMap((message) => Message.toolCallsOf(message).map(({ id }) => id))
    expect(new Set(ids).size).toBe(3)
    expect(Transcript.isValid(messages)).toBe(true)
  })

  test("one tool that throws costs only its own call, and its words reach the model", async () => {
    const throws = TestAgent.tool("throws", () => Effect.die(new Error("original")))
    const scripted = ScriptedModel.make([calling("throws", "echo"), { text: "ok" }])
    await TestAgent.test(TestAgent.runOnce(scripted, [throws, TestAgent.tool("echo")]))
    expect(statuses(scripted)).toEqual(["error", "ok"])
    expect(texts(scripted)[0]).toContain("original")
  })

  test("a tool that never returns times out, is interrupted, and the run goes on", async () => {
    const interrupted: Array<true> = []
    const never = TestAgent.tool(
      "never",
      () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted.push(true))),
      { timeout: Duration.seconds(5) }
    )
    const scripted = ScriptedModel.make([calling("never"), { text: "ok" }])
    await TestAgent.test(
      Effect.gen(function* () {
        const run = yield* Effect.forkChild(TestAgent.runOnce(scripted, [never]), { startImmediately: true })
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(run)
      })
    )
    expect(statuses(scripted)).toEqual(["timeout"])
    expect(interrupted.length).toBe(1)
  })
})

describe("calls that do not run", () => {
  const write = TestAgent.tool("write", () => Effect.die("must not run"), {
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, content: { type: "string" } },
      required: ["path", "content"],
      additionalProperties: false
    }
  })
  const table: ReadonlyArray<[string, string, string, RegExp]> = [
    ["an unknown tool", "wrote", "{}", /no tool "wrote".*write/s],
    ["another spelling", "Write", "{}", /Did you mean "write"/],
    ["no arguments at all", "write", "{}", /no arguments at all.*path, content/s],
    ["a missing argument", "write", '{"path":"a"}', /content: is required/],
    ["a wrong type", "write", '{"path":"a","content":5}', /content.*string/],
    ["an extra argument", "write", '{"path":"a","content":"b","mode":1}', /mode: is not an argument/],
    ["a list", "write", "[1]", /must be an object/],
    ["null", "write", "null", /must be an object/],
    ["broken JSON", "write", '{"a":x}', /Invalid JSON in tool arguments/],
    ["half an object", "write", '{"path":"a","content":"ab', /cut.*off.*Split/s]
  ]
  for (const [name, tool, raw, expected] of table)
    test(`${name} is an error to the model, and the run goes on`, async () => {
      const scripted = ScriptedModel.make([{ calls: [{ name: tool, raw }] }, { text: "ok" }])
      const { events, messages, outcome } = await TestAgent.test(TestAgent.runOnce(scripted, [write]))
      expect(statuses(scripted)).toEqual(["error"])
      expect(texts(scripted)[0]).toMatch(expected)
      expect(outcome.finished.text).toBe("ok")
      expect(TestAgent.ofType(events, "tool_called").length).toBe(1)
      expect(TestAgent.ofType(events, "tool_finished").length).toBe(1)
      const [stored] = messages.flatMap((message) => Message.toolCallsOf(message))
      expect(typeof stored?.input).toBe("object")
    })

  test("a schema that does not compile costs its own tool", async () => {
    const broken = TestAgent.tool("broken", undefined, {
      inputSchema: { type: "object", properties: { a: { $ref: "#/no" } } }
    })
    const scripted = ScriptedModel.make([calling("broken", "echo"), { text: "ok" }])
    await TestAgent.test(TestAgent.runOnce(scripted, [broken, TestAgent.tool("echo")]))
    expect(statuses(scripted)).toEqual(["error", "ok"])
  })

  test("who knows the name may answer for it", async () => {
    const scripted = ScriptedModel.make([calling("a-skill"), { text: "ok" }])
    await TestAgent.test(
      Effect.gen(function* () {
        const advice = yield* UnknownToolAdvice
        yield* advice.register(({ name, offered }) =>
          Effect.succeed(Option.some(ToolResult.failed(`${name} is a skill; tools: ${offered.join()}`)))
        )
        yield* TestAgent.runOnce(scripted, [TestAgent.tool("echo")])
      })
    )
    expect(texts(scripted)).toEqual(["a-skill is a skill; tools: echo"])
  })

  test("what the gate denies is not sent, is denied when called, and is not counted as a failure", async () => {
    const denyAll = Layer.succeed(
      ToolGate,
      ToolGate.each(() =>
        Effect.succeed({ _tag: "Deny", reason: "not_granted", detail: "no grant", trace: [] } as const)
      )
    )
    const scripted = ScriptedModel.make([...Array.from({ length: 5 }, () => calling("echo")), { text: "ok" }])
    const { events } = await TestAgent.test(TestAgent.runOnce(scripted, [TestAgent.tool("echo")]), {
      gate: denyAll
    })
    expect(scripted.requests[0]?.tools).toEqual([])
    expect(TestAgent.ofType(events, "tool_finished").map(({ status }) => status)).toEqual(
      Array.from({ length: 5 }, () => "denied")
    )
    expect(JSON.parse(texts(scripted)[0] as string)).toMatchObject({
      status: "denied",
      reason: "not_granted"
    })
  })
})

describe("over-long results", () => {
  test("they are cut in the middle between characters, with their size in the notice", async () => {
    const long = TestAgent.tool("long", () => Effect.succeed(ToolResult.ok(`HEAD${"🐄".repeat(30_000)}TAIL`)))
    const scripted = ScriptedModel.make([calling("long"), { text: "ok" }])
    const { events } = await TestAgent.test(TestAgent.runOnce(scripted, [long]))
    const [text] = texts(scripted) as [string]
    expect(text.length).toBeLessThanOrEqual(50_000)
    expect(text.startsWith("HEAD") && text.endsWith("TAIL")).toBe(true)
    expect(text).toContain("60008 characters")
    expect(text.isWellFormed()).toBe(true)
    expect(TestAgent.ofType(events, "tool_finished")[0]?.content.length).toBeLessThanOrEqual(2_000)
  })

  test("a result of exactly the limit is not cut", async () => {
    const exact = TestAgent.tool("exact", () => Effect.succeed(ToolResult.ok("x".repeat(50_000))))
    const scripted = ScriptedModel.make([calling("exact"), { text: "ok" }])
    await TestAgent.test(TestAgent.runOnce(scripted, [exact]))
    expect(texts(scripted)[0]).toBe("x".repeat(50_000))
  })

  test("an image goes to models that take images, and a note to those that do not", async () => {
    const image = TestAgent.tool("image", () =>
      Effect.succeed(
        ToolResult.ok([Message.text("look"), { type: "image", mediaType: "image/png", data: "AAAA" }])
      )
    )
    for (const takes of [true, false]) {
      const scripted = ScriptedModel.make([calling("image"), { text: "ok" }], takes)
      await TestAgent.test(TestAgent.runOnce(scripted, [image]))
      const [result] = ScriptedModel.newResults(scripted.requests[1])
      expect(result?.content.map(({ type }) => type)).toEqual(["text", takes ? "image" : "text"])
    }
  })
})
