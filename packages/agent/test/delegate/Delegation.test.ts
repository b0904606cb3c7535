import { describe, expect, test } from "bun:test"
import {
  type AgentEvent,
  Approver,
  Events,
  Message,
  type Model,
  type RunRequest,
  RunStore,
  SessionStore,
  type Tool,
  ToolResult
} from "@cow/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Agent, DelegateTool } from "../../src/index.ts"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

const task = "count the cows"

/** Whose request it is: the worker's conversation begins with what was delegated. */
const isWorkers = ({ messages }: Model.ModelRequest) =>
  messages[0] !== undefined && Message.textOf(messages[0]) === task

/** The main run delegates, then says what came of it; the worker follows its own script. */
const script = (worker: ReadonlyArray<ScriptedModel.ScriptedTurn>, input: unknown = { request: task }) => {
  let steps = 0
  return ScriptedModel.make((request) => {
    if (isWorkers(request)) return worker[steps++] ?? { text: "(no more)" }
    const [result] = ScriptedModel.newResults(request)
    return result === undefined
      ? { calls: [{ name: "delegate", id: "d1", input }] }
      : { text: `told: ${ScriptedModel.resultText(result)}` }
  })
}

const counted: Array<string> = []
const asks = (name = "asks"): Tool.Tool =>
  TestAgent.tool(
    name,
    ({ text }) =>
      Effect.sync(() => {
        counted.push(String(text))
        return ToolResult.ok(`did ${String(text)}`)
      }),
    { spec: { requires_confirmation: true, mutates_data: true } }
  )

const over = <A, E>(
  tools: ReadonlyArray<Tool.Tool>,
  body: Effect.Effect<A, E, TestAgent.Services | Scope.Scope>,
  layers: TestAgent.Layers = {}
) =>
  TestAgent.test(
    Effect.gen(function* () {
      counted.length = 0
      yield* Layer.build(DelegateTool.layer)
      yield* TestAgent.register(...tools)
      return yield* body
    }),
    layers
  )

const start = (scripted: ScriptedModel.ScriptedModel, more: Partial<RunRequest> = {}) =>
  Effect.flatMap(Agent, (agent) =>
    agent.run(TestAgent.request(scripted, { sessionId: "s1", permission: "workspace-write", ...more }))
  )

const workers = Effect.gen(function* () {
  const { items } = yield* (yield* RunStore).list()
  return items.filter(({ parent }) => parent !== null)
})

const tally = (events: ReadonlyArray<AgentEvent.AgentEvent>) => events.map(({ type }) => type)

describe("delegate", () => {
  test("gives a request to a worker in a conversation of its own, and its answer back", () => {
    const scripted = script([{ calls: [{ name: "echo", input: { text: "one" } }] }, { text: "42 cows" }])
    return over(
      [TestAgent.tool("echo")],
      Effect.gen(function* () {
        const events = yield* TestAgent.collect
        const { finished } = yield* start(scripted)
        expect(finished).toMatchObject({ status: "completed", text: "told: 42 cows", steps: 2 })
        // Two requests of each: the worker's count too.
        expect(finished.usage).toEqual({ input_tokens: 40, output_tokens: 20, cached_tokens: 0 })
        expect(tally(events).filter((type) => type !== "text_delta")).toEqual([
          "run_started",
          "step_started",
          "tool_called",
          "tool_finished",
          "step_started",
          "run_finished"
        ])
        const ofWorker = scripted.requests.filter(isWorkers)
        expect(ofWorker[0]?.messages.map(Message.textOf)).toEqual([task])
        expect(ofWorker[0]?.tools.map(({ name }) => name)).toEqual(["echo"])
        expect(scripted.requests[0]?.tools.map(({ name }) => name)).toEqual(["delegate", "echo"])
        const [worker] = yield* workers
        expect(worker).toMatchObject({
          parent: finished.run_id,
          status: "completed",
          persona: "default",
          permission: "workspace-write"
        })
        const messages = yield* (yield* SessionStore).messages(worker?.sessionId ?? "")
        expect(messages.map(Message.textOf).at(-1)).toBe("42 cows")
        const stored = yield* (yield* RunStore).events(worker?.id ?? "", 0)
        expect(stored.map(({ event }) => event.type)).toContain("run_finished")
      })
    )
  })

  for (const input of [{}, { request: 1 }, { request: "x", path: "/y" }, { request: "x", worker: "y" }, null])
    test(`with ${JSON.stringify(input)} starts nothing`, () => {
      const scripted = script([], input)
      return over(
        [],
        Effect.gen(function* () {
          const events = yield* TestAgent.collect
          yield* start(scripted)
          expect(TestAgent.ofType(events, "tool_finished")[0]?.status).toBe("error")
          expect(yield* workers).toEqual([])
        })
      )
    })

  test("cannot be called by a worker", () => {
    const scripted = script([
      { calls: [{ name: "delegate", input: { request: "more" } }] },
      { text: "alone" }
    ])
    return over(
      [],
      Effect.gen(function* () {
        const { finished } = yield* start(scripted)
        expect(finished.text).toBe("told: alone")
        expect(yield* workers).toHaveLength(1)
        const last = scripted.requests.filter(isWorkers).at(-1)
        expect(ScriptedModel.resultText(ScriptedModel.newResults(last)[0])).toContain(
          'There is no tool "delegate"'
        )
      })
    )
  })

  test("tells of a worker that fails, and the run goes on", () => {
    const broken = { error: ScriptedModel.failure({ _tag: "Unauthorized" } as never, "no key") }
    return over(
      [],
      Effect.gen(function* () {
        const { finished } = yield* start(script([broken]))
        expect(finished.status).toBe("completed")
        expect(finished.text).toContain("The worker failed: ")
      })
    )
  })

  test("is denied to a worker what is denied to the run", () => {
    const scripted = script([{ calls: [{ name: "asks", input: { text: "x" } }] }, { text: "no way" }])
    return over(
      [asks()],
      Effect.gen(function* () {
        const { finished } = yield* start(scripted, { permission: "read-only" })
        expect(finished.text).toBe("told: no way")
        expect(counted).toEqual([])
        expect(scripted.requests.filter(isWorkers)[0]?.tools).toEqual([])
      })
    )
  })
})

describe("a worker's call that needs a person", () => {
  const twoAsks = () =>
    script([
      { calls: [{ name: "asks", id: "d1", input: { text: "first" } }] },
      { calls: [{ name: "asks", id: "w2", input: { text: "second" } }] },
      { text: "both" }
    ])

  test("has the run wait with that very call; each approval makes one, then the run goes on", () =>
    over(
      [asks()],
      Effect.gen(function* () {
        const events = yield* TestAgent.collect
        const agent = yield* Agent
        const runs = yield* RunStore
        const { finished } = yield* start(twoAsks())
        const id = finished.run_id
        expect(finished.status).toBe("waiting_approval")
        const asked = () => TestAgent.ofType(events, "approval_requested")
        expect(asked()).toMatchObject([{ run_id: id, call_id: "d1", tool: "asks", input: { text: "first" } }])
        expect(Object.keys(asked()[0] ?? {})).not.toContain("worker")
        expect((yield* runs.get(id)).pending).toMatchObject({ tool: "asks", input: { text: "first" } })
        expect(counted).toEqual([])

        const second = yield* agent.resume(id, { _tag: "Approved" })
        expect(second.finished.status).toBe("waiting_approval")
        expect(counted).toEqual(["first"])
        expect(asked()[1]).toMatchObject({ run_id: id, call_id: "w2", input: { text: "second" } })

        const last = yield* agent.resume(id, { _tag: "Approved" })
        expect(last.finished).toMatchObject({ status: "completed", text: "told: both" })
        expect(counted).toEqual(["first", "second"])
        // Three requests of the worker, two of the run.
        expect(last.finished.usage.input_tokens).toBe(50)
        expect(asked()).toHaveLength(2)
        expect(TestAgent.ofType(events, "tool_called").map(({ tool }) => tool)).toEqual(["delegate"])
        expect((yield* workers).map(({ status }) => status)).toEqual(["completed"])
      })
    ))

  test("refused, is refused to the worker, which goes on", () =>
    over(
      [asks()],
      Effect.gen(function* () {
        const scripted = script([
          { calls: [{ name: "asks", id: "w1", input: { text: "x" } }] },
          { text: "then not" }
        ])
        const { finished } = yield* start(scripted)
        const resumed = yield* (yield* Agent).resume(finished.run_id, { _tag: "Refused", end: false })
        expect(resumed.finished.text).toBe("told: then not")
        expect(counted).toEqual([])
        const last = scripted.requests.filter(isWorkers).at(-1)
        expect(ScriptedModel.newResults(last)[0]?.status).toBe("denied")
      })
    ))

  for (const answer of [{ _tag: "Refused", end: true }, { _tag: "Cancelled" }] as const)
    test(`${answer._tag === "Refused" ? "refused for good" : "cancelled"}, ends the run and its worker`, () =>
      over(
        [asks()],
        Effect.gen(function* () {
          const events = yield* TestAgent.collect
          const { finished } = yield* start(twoAsks())
          const ended = yield* (yield* Agent).resume(finished.run_id, answer)
          expect(ended.finished.status).toBe("cancelled")
          expect((yield* workers).map(({ status }) => status)).toEqual(["cancelled"])
          expect(counted).toEqual([])
          const told = TestAgent.ofType(events, "tool_finished")
          expect(told).toMatchObject([
            { call_id: "d1", tool: "delegate", status: answer._tag === "Refused" ? "denied" : "cancelled" }
          ])
          const messages = yield* (yield* SessionStore).messages("s1")
          expect(messages.flatMap(Message.toolResultsOf)).toHaveLength(1)
        })
      ))

  test("is asked of somebody who is there, as a call of the run, and goes on in place", () => {
    const seen: Array<string> = []
    const approver = Layer.succeed(Approver, {
      ask: (_, { input }) =>
        Effect.sync(() => {
          seen.push(String(input.text))
          return { _tag: "Approved" }
        })
    })
    return over(
      [asks()],
      Effect.gen(function* () {
        const events = yield* TestAgent.collect
        const { finished } = yield* start(twoAsks())
        expect(finished.text).toBe("told: both")
        expect(seen).toEqual(["first", "second"])
        for (const { run_id } of TestAgent.ofType(events, "approval_requested"))
          expect(run_id).toBe(finished.run_id)
      }),
      { approver }
    )
  })

  test("answered in the worker's own run, is not asked again", () =>
    over(
      [asks()],
      Effect.gen(function* () {
        const agent = yield* Agent
        const { finished } = yield* start(
          script([{ calls: [{ name: "asks", id: "w1", input: { text: "x" } }] }, { text: "done" }])
        )
        const [worker] = yield* workers
        yield* agent.resume(worker?.id ?? "", { _tag: "Approved" })
        const last = yield* agent.resume(finished.run_id, { _tag: "Approved" })
        expect(last.finished.text).toBe("told: done")
        expect(counted).toEqual(["x"])
      })
    ))
})

test("a cancel of the run stops its worker and the worker's calls", () => {
  let cleaned = false
  const hang = TestAgent.tool("hang", () =>
    Effect.onInterrupt(Effect.never, () =>
      Effect.sync(() => {
        cleaned = true
      })
    )
  )
  return over(
    [hang],
    Effect.gen(function* () {
      const heard: Array<string> = []
      yield* (yield* Events).addSink((_, { type }) => Effect.sync(() => void heard.push(type)))
      const scripted = script([{ calls: [{ name: "hang" }] }])
      const run = yield* Effect.forkChild(start(scripted))
      while (scripted.requests.length < 2) yield* Effect.yieldNow
      for (let at = 0; at < 100; at++) yield* Effect.yieldNow
      yield* Fiber.interrupt(run)
      expect(cleaned).toBe(true)
      expect(heard.filter((type) => type === "run_finished")).toHaveLength(1)
      const { items } = yield* (yield* RunStore).list()
      expect(items.map(({ status }) => status)).toEqual(["cancelled", "cancelled"])
      const main = items.find(({ parent }) => parent === null)
      expect(main?.usage.inputTokens).toBe(20)
    })
  )
})
