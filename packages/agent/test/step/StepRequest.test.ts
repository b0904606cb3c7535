import { describe, expect, test } from "bun:test"
import {
  Approver,
  Audience,
  Message,
  type Selection,
  type ServerStatus,
  SessionStore,
  ToolManager,
  ToolResult,
  ToolSelector,
  ToolServers
} from "@cow/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { Agent, AgentLimits } from "../../src/index.ts"
import * as SentTools from "../../src/step/SentTools.ts"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

const mcpTool = (server: string, name: string) =>
  TestAgent.tool(`mcp__${server}__${name}`, undefined, {
    spec: { server, specialist: "mcp_worker", tool: name }
  })

const sent = (scripted: ScriptedModel.ScriptedModel) =>
  scripted.requests.map(({ tools }) => tools.map(({ name }) => name))

describe("the tools of a step", () => {
  test("that come and go are told, keep their places, and follow at the end", async () => {
    const scripted = ScriptedModel.make([
      { calls: [{ name: "change", input: { text: "1" } }] },
      { calls: [{ name: "change", input: { text: "2" } }] },
      { text: "ok" }
    ])
    await TestAgent.test(
      Effect.gen(function* () {
        const manager = yield* ToolManager
        const first = yield* Scope.make()
        yield* Scope.provide(manager.register({ _tag: "Mcp", server: "b" }, [mcpTool("b", "one")]), first)
        const outer = yield* Effect.scope
        const change = TestAgent.tool("change", ({ text }) =>
          Effect.gen(function* () {
            if (text === "1")
              yield* Scope.provide(
                manager.register({ _tag: "Mcp", server: "a" }, [mcpTool("a", "two")]),
                outer
              )
            else yield* Scope.close(first, Exit.void)
            return ToolResult.ok("changed")
          })
        )
        const { events } = yield* TestAgent.runOnce(scripted, [change])
        expect(sent(scripted)).toEqual([
          ["change", "mcp__b__one"],
          ["change", "mcp__b__one", "mcp__a__two"],
          ["change", "mcp__a__two"]
        ])
        expect(TestAgent.ofType(events, "tools_changed")).toEqual([
          { type: "tools_changed", added: ["mcp__a__two"], removed: [] },
          { type: "tools_changed", added: [], removed: ["mcp__b__one"] }
        ])
      })
    )
  })

  test("that were called or chosen once are kept by the selector's own account", async () => {
    const asked: Array<ReadonlyArray<string>> = []
    const selector = Layer.succeed(ToolSelector, {
      select: ({ kept, visible }) =>
        Effect.sync((): Selection => {
          asked.push([...kept].sort())
          const names = visible.map(({ tool }) => tool.name)
          const chosen = asked.length === 1 ? ["mcp__s__a"] : []
          return {
            mode: "selected",
            reason: "test",
            chosen,
            names: new Set(names.filter((name) => kept.has(name) || chosen.includes(name)))
          }
        })
    })
    const scripted = ScriptedModel.make([{ calls: [{ name: "mcp__s__b" }] }, { text: "ok" }])
    await TestAgent.test(
      Effect.gen(function* () {
        yield* (yield* ToolManager).register({ _tag: "Mcp", server: "s" }, [
          mcpTool("s", "a"),
          mcpTool("s", "b"),
          mcpTool("s", "c")
        ])
        const { events } = yield* TestAgent.runOnce(scripted)
        // One that was not sent, named by the model, runs like any other.
        expect(TestAgent.ofType(events, "tool_finished")).toMatchObject([{ tool: "mcp__s__b", status: "ok" }])
        expect(asked).toEqual([[], ["mcp__s__a", "mcp__s__b"]])
        expect(sent(scripted)).toEqual([["mcp__s__a"], ["mcp__s__a", "mcp__s__b"]])
        expect(TestAgent.ofType(events, "step_started").map(({ selection }) => selection.added)).toEqual([
          ["mcp__s__a"],
          ["mcp__s__b"]
        ])
      }),
      { selector }
    )
  })

  test("that are replaced by ones of the same names are no change to tell", async () => {
    const scripted = ScriptedModel.make([{ calls: [{ name: "again" }] }, { text: "ok" }])
    await TestAgent.test(
      Effect.gen(function* () {
        const manager = yield* ToolManager
        const registration = yield* manager.register({ _tag: "Mcp", server: "a" }, [mcpTool("a", "one")])
        const again = TestAgent.tool("again", () =>
          Effect.as(registration.replace([mcpTool("a", "one")]), ToolResult.ok("replaced"))
        )
        const { events } = yield* TestAgent.runOnce(scripted, [again])
        expect(TestAgent.ofType(events, "tools_changed")).toEqual([])
      })
    )
  })

  test("of a restricted run are its own: what a server brings is neither sent nor run when it is named", async () => {
    const scripted = ScriptedModel.make([{ calls: [{ name: "mcp__s__a" }] }, { text: "ok" }])
    await TestAgent.test(
      Effect.gen(function* () {
        yield* (yield* ToolManager).register({ _tag: "Mcp", server: "s" }, [mcpTool("s", "a")])
        const { events } = yield* TestAgent.runOnce(scripted, [TestAgent.tool("echo")], { restricted: true })
        expect(sent(scripted)).toEqual([["echo"], ["echo"]])
        expect(TestAgent.ofType(events, "run_started")[0]?.tools).toEqual({ builtin: 1, mcp: 0 })
        expect(TestAgent.ofType(events, "tool_finished").map(({ status }) => status)).toEqual(["error"])
        expect(ScriptedModel.resultText(ScriptedModel.newResults(scripted.requests[1])[0])).toContain(
          'no tool "mcp__s__a"'
        )
      })
    )
  })

  test("any choice in any order: what stays keeps its order, and nothing is sent twice", () => {
    const names = ["a", "b", "c", "d", "e"]
    const table = names.map((name) => ({ tool: TestAgent.tool(name), source: { _tag: "Builtin" } as const }))
    const step = fc.record({ chosen: fc.shuffledSubarray(names), visible: fc.subarray(names) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        let before = SentTools.none
        for (const { chosen, visible } of steps) {
          const shown = table.filter(({ tool }) => visible.includes(tool.name))
          const sent = SentTools.next(before, new Set(chosen), shown)
          const order = sent.names
          expect([...order].sort()).toEqual(chosen.filter((name) => visible.includes(name)).sort())
          const staying = before.names.filter((name) => order.includes(name))
          expect(order.slice(0, staying.length)).toEqual(staying)
          expect(order.slice(staying.length)).toEqual([...order.slice(staying.length)].sort())
          expect(sent.tools.map(({ name }) => name)).toEqual([...order])
          expect(sent.definitions.map(({ name }) => name)).toEqual([...order])
          expect(sent.registered.map(({ tool }) => tool)).toEqual([...sent.tools])
          before = sent
        }
      })
    )
  })

  test("while nothing changes the request carries the very same list of definitions, also beside other sessions", async () => {
    const scripted = ScriptedModel.make([
      { calls: [{ name: "echo" }] },
      { text: "one" },
      { text: "two" },
      { text: "other" }
    ])
    await TestAgent.test(
      Effect.gen(function* () {
        yield* (yield* ToolManager).register({ _tag: "Mcp", server: "s" }, [mcpTool("s", "a")])
        yield* TestAgent.runOnce(scripted, [TestAgent.tool("echo")])
        const agent = yield* Agent
        yield* agent.run(TestAgent.request(scripted, { sessionId: "s1", prompt: "again" }))
        yield* agent.run(TestAgent.request(scripted, { sessionId: "s2", prompt: "other" }))
        const lists = scripted.requests.map(({ tools }) => tools)
        expect(lists).toHaveLength(4)
        expect(new Set(lists).size).toBe(1)
      })
    )
  })

  test("a definition that changed under its name is sent as it is now, in its old place", async () => {
    const scripted = ScriptedModel.make([{ calls: [{ name: "change" }] }, { text: "ok" }])
    await TestAgent.test(
      Effect.gen(function* () {
        const manager = yield* ToolManager
        const before = [mcpTool("s", "a"), mcpTool("s", "b")]
        const registration = yield* manager.register({ _tag: "Mcp", server: "s" }, before)
        const next = { ...mcpTool("s", "a"), description: "another" }
        const change = TestAgent.tool("change", () =>
          Effect.as(registration.replace([next, ...before.slice(1)]), ToolResult.ok("changed"))
        )
        yield* TestAgent.runOnce(scripted, [change])
        const [first, second] = scripted.requests
        expect(sent(scripted)[0]).toEqual(sent(scripted)[1] ?? [])
        expect(first?.tools[1]?.description).not.toBe("another")
        expect(second?.tools[1]?.description).toBe("another")
      })
    )
  })
})

test("changes of servers during a run are its events, before its last one and only for those who may use them", async () => {
  const status = (name: string, audience = Audience.everyone): ServerStatus => ({
    name,
    state: "ready",
    error: null,
    toolCount: 3,
    audience
  })
  const pubsub = await Effect.runPromise(PubSub.unbounded<ServerStatus>())
  const servers = Layer.succeed(ToolServers, {
    list: Effect.succeed([status("s")]),
    changes: Stream.fromPubSub(pubsub),
    refresh: Effect.void,
    begin: Effect.void
  })
  const change = TestAgent.tool("change", () =>
    Effect.gen(function* () {
      yield* PubSub.publish(pubsub, status("hidden", Audience.only(["other"])))
      yield* PubSub.publish(pubsub, status("s"))
      for (let i = 0; i < 20; i++) yield* Effect.yieldNow
      return ToolResult.ok("changed")
    })
  )
  const scripted = ScriptedModel.make([{ calls: [{ name: "change" }] }, { text: "ok" }])
  const { events } = await TestAgent.test(TestAgent.runOnce(scripted, [change]), { servers })
  expect(TestAgent.ofType(events, "run_started")[0]?.mcp).toEqual([{ server: "s", status: "ready" }])
  expect(TestAgent.ofType(events, "mcp_status")).toEqual([
    { type: "mcp_status", server: "s", status: "ready", error: null, tools: 3 }
  ])
  expect(events.at(-1)?.type).toBe("run_finished")
})

test("a session is continued with its whole history, and another one knows nothing of it", async () => {
  const scripted = ScriptedModel.make([{ text: "noted" }, { text: "it was 41" }, { text: "what?" }])
  await TestAgent.test(
    Effect.gen(function* () {
      const agent = yield* Agent
      yield* agent.run(TestAgent.request(scripted, { sessionId: "s1", prompt: "remember 41" }))
      yield* agent.run(TestAgent.request(scripted, { sessionId: "s1", prompt: "what was it" }))
      yield* agent.run(TestAgent.request(scripted, { prompt: "hello" }))
      expect(scripted.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 1])
    }),
    { approver: Approver.layerUnattended }
  )
})

test("a long result of an earlier turn is sent shortened, and stored whole", async () => {
  const long = TestAgent.tool("long", () => Effect.succeed(ToolResult.ok("x".repeat(30_000))))
  const scripted = ScriptedModel.make([{ calls: [{ name: "long" }] }, { text: "read" }, { text: "and on" }])
  await TestAgent.test(
    Effect.gen(function* () {
      const { messages } = yield* TestAgent.runOnce(scripted, [long])
      const { finished } = yield* (yield* Agent).run(
        TestAgent.request(scripted, { sessionId: "s1", prompt: "next" })
      )
      expect(finished.text).toBe("and on")
      const [sentNow] = (scripted.requests[1]?.messages ?? []).flatMap(Message.toolResultsOf)
      expect(ScriptedModel.resultText(sentNow).length).toBe(30_000)
      const [sentLater] = (scripted.requests[2]?.messages ?? []).flatMap(Message.toolResultsOf)
      const text = ScriptedModel.resultText(sentLater)
      expect(text.length).toBe(20_000)
      expect(text).toContain("30000")
      expect(text).toContain("20000")
      const stored = yield* (yield* SessionStore).messages("s1")
      expect(stored.slice(0, messages.length)).toEqual([...messages])
      // What the run adds is its user text and its reply, and nothing else.
      expect(stored.slice(messages.length)).toEqual([
        Message.userText("next"),
        Message.assistantText("and on")
      ])
    })
  )
})

test("dropped turns come back as one summary in the first message kept, told once in a run", async () => {
  const scripted = ScriptedModel.make((_, at) =>
    at === 10 ? { calls: [{ name: "echo" }] } : { text: `answer ${at} ${"z".repeat(2_000)}` }
  )
  await TestAgent.test(
    Effect.gen(function* () {
      yield* TestAgent.register(TestAgent.tool("echo"))
      const events = yield* TestAgent.collect
      const agent = yield* Agent
      for (let at = 0; at < 11; at++)
        yield* agent.run(TestAgent.request(scripted, { sessionId: "s1", prompt: `question ${at}` }))
      const compacted = TestAgent.ofType(events, "context_compacted")
      expect(compacted.length).toBeGreaterThan(0)
      for (const { after_tokens, before_tokens } of compacted)
        expect(before_tokens).toBeGreaterThan(after_tokens)
      const last = scripted.requests.at(-1)?.messages ?? []
      expect(JSON.stringify(last).split("Earlier in this conversation").length - 1).toBe(1)
      expect(Message.textOf(last[0] as Message.Message)).toContain("Earlier in this conversation")
      const stored = yield* (yield* SessionStore).messages("s1")
      expect(JSON.stringify(stored)).not.toContain("Earlier in this conversation")
      expect(stored.length).toBe(24)
    }).pipe(Effect.provideService(AgentLimits.contextTokens, 3_000))
  )
})
