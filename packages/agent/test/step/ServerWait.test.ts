import { describe, expect, test } from "bun:test"
import {
  Audience,
  type RunRequest,
  type ServerState,
  type ServerStatus,
  Tool,
  ToolManager,
  ToolResult,
  ToolServers
} from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Agent, AgentLimits } from "../../src/index.ts"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

const echo = Tool.make({
  name: "mcp__box__echo",
  description: "Says it again",
  inputSchema: { type: "object" },
  spec: { server: "box", specialist: "mcp_worker", tool: "echo" },
  run: () => Effect.succeed(ToolResult.ok("echoed"))
})

interface Given {
  readonly state?: ServerState
  readonly audience?: Audience.Audience
  /** What becomes of it, and when after the run began. Absent: it never starts. */
  readonly becomes?: { readonly state: ServerState; readonly afterMillis: number }
}

/** Runs one after the other in one session, beside a server that holds its start back until somebody waits. */
const beside = (
  { audience = Audience.everyone, becomes, state = "pending" }: Given,
  scripted: ScriptedModel.ScriptedModel,
  runs: ReadonlyArray<Partial<RunRequest>> = [{}]
) => {
  let now: ServerStatus = { name: "box", state, error: null, toolCount: 0, audience }
  let begun = 0
  const servers = Layer.succeed(ToolServers, {
    list: Effect.sync(() => [now]),
    changes: Stream.empty,
    refresh: Effect.void,
    begin: Effect.sync(() => {
      begun++
      if (now.state === "pending") now = { ...now, state: "starting" }
    })
  })
  return TestAgent.test(
    Effect.gen(function* () {
      const agent = yield* Agent
      const events = yield* TestAgent.collect
      const manager = yield* ToolManager
      if (becomes !== undefined)
        yield* Effect.forkScoped(
          Effect.gen(function* () {
            yield* Effect.sleep(becomes.afterMillis)
            if (becomes.state === "ready") yield* manager.register({ _tag: "Mcp", server: "box" }, [echo])
            now = { ...now, state: becomes.state }
          })
        )
      /** Milliseconds that each run took. */
      const took: Array<number> = []
      for (const more of runs) {
        const before = yield* Clock.currentTimeMillis
        const fiber = yield* Effect.forkChild(
          agent.run(TestAgent.request(scripted, { sessionId: "s1", ...more }))
        )
        for (let at = 0; at < 700 && fiber.pollUnsafe() === undefined; at++) {
          for (let turn = 0; turn < 12; turn++) yield* Effect.yieldNow
          if (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("20 millis")
        }
        yield* Fiber.join(fiber)
        took.push((yield* Clock.currentTimeMillis) - before)
      }
      return { events, took, begun: () => begun }
    }),
    { servers }
  )
}

const sent = (scripted: ScriptedModel.ScriptedModel) =>
  scripted.requests.map(({ tools }) => tools.map(({ name }) => name))

const says = () => ScriptedModel.make([{ text: "one" }, { text: "two" }])
const calls = () => ScriptedModel.make([{ calls: [{ name: "mcp__box__echo" }] }, { text: "done" }])

describe("the first request", () => {
  test("waits for a server that is about to be there, and has its start begun", async () => {
    const scripted = says()
    const { begun, events, took } = await beside({ becomes: { state: "ready", afterMillis: 600 } }, scripted)
    expect(sent(scripted)).toEqual([["mcp__box__echo"]])
    expect(begun()).toBeGreaterThan(0)
    expect(took[0]).toBeLessThan(800)
    expect(TestAgent.ofType(events, "mcp_status")[0]).toMatchObject({ server: "box", status: "starting" })
    expect(TestAgent.ofType(events, "step_started")[0]?.tools).toEqual(["mcp__box__echo"])
  })

  test("waits no longer than its limit for one that hangs, and a session waits once", async () => {
    const scripted = says()
    const { took } = await beside({}, scripted, [{}, {}])
    expect(sent(scripted)).toEqual([[], []])
    expect(took[0]).toBeGreaterThanOrEqual(1_000)
    expect(took[0]).toBeLessThanOrEqual(2_000)
    expect(took[1]).toBe(0)
  })

  test("goes out when the server fails", async () => {
    const { took } = await beside({ becomes: { state: "failed", afterMillis: 100 } }, says())
    expect(took[0]).toBeLessThan(300)
  })

  for (const state of ["failed", "needs_auth", "disabled", "untrusted", "ready"] as const)
    test(`does not wait for one that is ${state}`, async () => {
      const { begun, took } = await beside({ state }, says())
      expect([took[0], begun()]).toEqual([0, 0])
    })

  test("does not wait for one that the persona may not use, nor in a restricted run", async () => {
    expect((await beside({ audience: Audience.only(["other"]) }, says())).took).toEqual([0])
    expect((await beside({}, says(), [{ restricted: true }])).took).toEqual([0])
  })

  test("does not wait where the limit is 0", async () => {
    const servers = Layer.succeed(ToolServers, {
      list: Effect.succeed([
        { name: "box", state: "starting", error: null, toolCount: 0, audience: Audience.everyone } as const
      ]),
      changes: Stream.empty,
      refresh: Effect.void,
      begin: Effect.die("begun")
    })
    const run = TestAgent.runOnce(says()).pipe(
      Effect.provideService(AgentLimits.serverStartMillis, 0),
      Effect.provideService(AgentLimits.serverCallSeconds, 0)
    )
    expect((await TestAgent.test(run, { servers })).outcome.finished.text).toBe("one")
  })

  test("waits longer for a server of which the message names a tool", async () => {
    const scripted = says()
    const prompt = "call mcp__box__echo please"
    const { took } = await beside({ becomes: { state: "ready", afterMillis: 7_000 } }, scripted, [{ prompt }])
    expect(sent(scripted)).toEqual([["mcp__box__echo"]])
    expect(took[0]).toBeLessThan(7_500)
    const hung = await beside({}, says(), [{ prompt }])
    expect(hung.took[0]).toBeGreaterThanOrEqual(10_000)
    expect(hung.took[0]).toBeLessThanOrEqual(12_000)
  })

  test("waits longer where the model says that the message calls for what is not there", async () => {
    const scripted = says()
    Object.assign(scripted.model, {
      misses: (message: string, tools: ReadonlyArray<Tool.ToolDefinition>) =>
        message === "echo it" && tools.length === 0
    })
    const { took } = await beside({ becomes: { state: "ready", afterMillis: 5_000 } }, scripted, [
      { prompt: "echo it" }
    ])
    expect(sent(scripted)).toEqual([["mcp__box__echo"]])
    expect(took[0]).toBeLessThan(5_500)
  })
})

describe("a call of a server that is still starting", () => {
  test("waits for it, and runs", async () => {
    const scripted = calls()
    const { events } = await beside({ becomes: { state: "ready", afterMillis: 6_000 } }, scripted)
    expect(sent(scripted)).toEqual([[], ["mcp__box__echo"]])
    expect(TestAgent.ofType(events, "tool_finished")).toMatchObject([{ status: "ok", content: "echoed" }])
    expect(TestAgent.ofType(events, "tool_called")).toMatchObject([{ server: "box" }])
  })

  test("waits no longer than its limit, and not for a server that has failed", async () => {
    const hung = await beside({}, calls())
    expect(TestAgent.ofType(hung.events, "tool_finished")[0]?.content).toContain(
      'There is no tool "mcp__box__echo"'
    )
    expect(hung.took[0]).toBeLessThanOrEqual(13_500)
    const failed = await beside({ state: "failed" }, calls())
    expect(failed.took).toEqual([0])
  })

  test("is not waited for when it is another server's", async () => {
    const scripted = ScriptedModel.make([{ calls: [{ name: "mcp__other__echo" }] }, { text: "done" }])
    const { took } = await beside({}, scripted)
    expect(took[0]).toBeLessThanOrEqual(2_000)
  })
})

test("a cancel ends the wait", async () => {
  const servers = Layer.succeed(ToolServers, {
    list: Effect.succeed([
      { name: "box", state: "starting", error: null, toolCount: 0, audience: Audience.everyone } as const
    ]),
    changes: Stream.empty,
    refresh: Effect.void,
    begin: Effect.void
  })
  const scripted = says()
  const events = await TestAgent.test(
    Effect.gen(function* () {
      const seen = yield* TestAgent.collect
      const run = yield* Effect.forkChild((yield* Agent).run(TestAgent.request(scripted)))
      while (!seen.some(({ type }) => type === "run_started")) yield* Effect.yieldNow
      for (let at = 0; at < 20; at++) yield* Effect.yieldNow
      yield* Fiber.interrupt(run)
      return seen
    }),
    { servers }
  )
  expect(scripted.requests).toEqual([])
  expect(events.at(-1)).toMatchObject({ type: "run_finished", status: "cancelled" })
})
