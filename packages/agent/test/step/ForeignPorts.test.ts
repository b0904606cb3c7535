import { describe, expect, test } from "bun:test"
import {
  Approver,
  Events,
  PromptSections,
  SkillCatalog,
  Tool,
  ToolGate,
  ToolResult,
  ToolSelector,
  ToolServers,
  UnknownToolAdvice
} from "@cow/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

/** Ways in which an app's or a plugin's code can go wrong, for what should give an Effect. */
const wrongs: ReadonlyArray<readonly [string, () => unknown]> = [
  ["dies", () => Effect.die(new Error("boom"))],
  [
    "throws",
    () => {
      throw new Error("boom")
    }
  ],
  ["interrupts itself", () => Effect.interrupt],
  ["gives a Promise", () => Promise.reject(new Error("boom"))],
  ["gives undefined", () => Effect.succeed(undefined)],
  ["gives a number", () => Effect.succeed(7)],
  ["hangs", () => Effect.never],
  ["hangs in a Promise", () => Effect.promise(() => new Promise(() => {}))]
]

const script = () => ScriptedModel.make([{ calls: [{ name: "echo" }] }, { text: "done" }])

/** A run to its end, with as much time as it takes. */
const finish = <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(run)
    for (let at = 0; at < 60 && fiber.pollUnsafe() === undefined; at++) {
      for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      yield* TestClock.adjust("1 second")
    }
    return yield* Fiber.join(fiber)
  })

const runWith = (
  layers: TestAgent.Layers,
  before: Effect.Effect<unknown, never, TestAgent.Services | Scope.Scope> = Effect.void,
  scripted = script(),
  more: Parameters<typeof TestAgent.runOnce>[2] = {}
) =>
  TestAgent.test(
    Effect.gen(function* () {
      yield* before
      const seen = yield* finish(TestAgent.runOnce(scripted, [TestAgent.tool("echo")], more))
      return { ...seen, scripted }
    }),
    layers
  )

const expectWhole = ({ outcome, scripted }: Awaited<ReturnType<typeof runWith>>) => {
  expect(outcome.finished).toMatchObject({ status: "completed", text: "done" })
  expect(ScriptedModel.newResults(scripted.requests[1])[0]?.status).toBe("ok")
}

describe("a tool selector costs no tool, and the mode is fallback with the reason, where it", () => {
  const rubbish: ReadonlyArray<readonly [string, () => unknown]> = [
    ["gives names that are a list", () => Effect.succeed({ mode: "all", reason: "", names: [], chosen: [] })],
    [
      "gives a mode that is none",
      () => Effect.succeed({ mode: "some", reason: "", names: new Set(), chosen: [] })
    ]
  ]
  for (const [what, select] of [...wrongs, ...rubbish])
    test(what, async () => {
      const selector = Layer.succeed(ToolSelector, { select: select as never })
      const seen = await runWith({ selector })
      expectWhole(seen)
      const steps = TestAgent.ofType(seen.events, "step_started")
      expect(steps.map(({ tools }) => tools)).toEqual([["echo"], ["echo"]])
      for (const { selection } of steps) {
        expect(selection.mode).toBe("fallback")
        expect(selection.reason).toStartWith("the selector ")
      }
    })

  test("forgets what the session used: that stays", async () => {
    const selector = Layer.succeed(ToolSelector, {
      select: ({ messages, visible }) =>
        Effect.succeed({
          mode: "selected",
          reason: "relevance",
          names: new Set(messages.length > 1 ? [] : visible.map(({ tool }) => tool.name)),
          chosen: []
        })
    })
    const seen = await runWith({ selector })
    expect(TestAgent.ofType(seen.events, "step_started").map(({ tools }) => tools)).toEqual([
      ["echo"],
      ["echo"]
    ])
  })
})

describe("a prompt section is left out, and the others are sent, where it", () => {
  for (const [what, render] of wrongs)
    test(what, async () => {
      const sections = Effect.flatMap(PromptSections, (all) =>
        Effect.andThen(
          all.register({ id: "bad", slot: "identity", stable: true, render: render as never }),
          all.register({ id: "good", slot: "extra", stable: true, render: () => Effect.succeed("here") })
        )
      )
      const seen = await runWith({}, sections)
      expectWhole(seen)
      for (const { system } of seen.scripted.requests)
        expect(system.map(({ text }) => text)).toEqual(["here"])
    })
})

describe("an event sink stops neither the run nor the other sinks, where it", () => {
  for (const [what, sink] of wrongs)
    test(what, async () => {
      const heard: Array<string> = []
      const sinks = Effect.flatMap(Events, (events) =>
        Effect.andThen(
          events.addSink(sink as never),
          events.addSink((_, event) => Effect.sync(() => void heard.push(event.type)))
        )
      )
      const seen = await runWith({}, sinks)
      expectWhole(seen)
      expect(heard).toEqual(seen.events.map(({ type }) => type))
      expect(heard.at(-1)).toBe("run_finished")
    })

  test("hangs: it is told no more, and the run waits for it once", () => {
    let told = 0
    const hang = Effect.flatMap(Events, (events) =>
      events.addSink(() =>
        Effect.andThen(
          Effect.sync(() => void told++),
          Effect.never
        )
      )
    )
    return runWith({}, hang).then((seen) => {
      expectWhole(seen)
      expect(told).toBe(1)
    })
  })

  test("is patient: it is waited for, however long it takes", () => {
    const heard: Array<string> = []
    const slow = Effect.flatMap(Events, (events) =>
      events.addSink(
        (_, event) =>
          Effect.andThen(
            Effect.sleep("8 seconds"),
            Effect.sync(() => void heard.push(event.type))
          ),
        { patient: true }
      )
    )
    return runWith({}, slow, ScriptedModel.make([{ text: "done" }])).then(({ events }) =>
      expect(heard).toEqual(events.map(({ type }) => type))
    )
  })
})

describe("skills and servers cost a run nothing but themselves, where their port", () => {
  for (const [what, wrong] of wrongs.filter(([name]) => name !== "gives a Promise"))
    test(what, async () => {
      const skills = Layer.succeed(SkillCatalog, { cards: wrong as never })
      const effect = Effect.suspend(wrong as () => Effect.Effect<never>)
      const servers = Layer.succeed(ToolServers, {
        list: effect,
        refresh: effect,
        begin: effect,
        changes: Stream.fromEffect(effect)
      })
      const seen = await runWith({ skills, servers })
      expectWhole(seen)
      expect(TestAgent.ofType(seen.events, "run_started")[0]).toMatchObject({
        mcp: [],
        skills: { available: 0, unavailable: 0 }
      })
    })
})

describe("a check denies the call, and the run goes on, where it", () => {
  for (const [what, wrong] of wrongs) {
    test(`${what}: the gate's`, async () => {
      const gate = Layer.succeed(ToolGate, {
        decide: wrong as never,
        usable: (_, tools) => Effect.succeed(tools)
      })
      const { outcome, scripted } = await runWith({ gate })
      expect(outcome.finished.status).toBe("completed")
      const [result] = ScriptedModel.newResults(scripted.requests[1])
      expect(result?.status).toBe("denied")
      expect(ScriptedModel.resultText(result)).toContain("check_failed")
    })

    test(`${what}: the gate's, on what may be seen`, async () => {
      const gate = Layer.succeed(ToolGate, {
        decide: () => Effect.succeed({ _tag: "Allow", trace: [] }),
        usable: wrong as never
      })
      const { events, outcome } = await runWith({ gate })
      expect(outcome.finished.status).toBe("completed")
      expect(TestAgent.ofType(events, "step_started")[0]?.tools).toEqual([])
    })

    test(`${what}: the tool's own, in every mode`, async () => {
      for (const permission of ["read-only", "workspace-write", "full-access"] as const) {
        let ran = false
        const judged = Tool.make({
          name: "judged",
          description: "",
          inputSchema: { type: "object" },
          effectOf: (input) => (input === undefined ? Effect.succeed({ _tag: "Reads" }) : (wrong() as never)),
          run: () =>
            Effect.sync(() => {
              ran = true
              return ToolResult.ok("")
            })
        })
        const scripted = ScriptedModel.make([{ calls: [{ name: "judged" }] }, { text: "done" }])
        const { outcome } = await runWith({}, TestAgent.register(judged), scripted, { permission })
        expect(outcome.finished.status).toBe("completed")
        expect(ScriptedModel.newResults(scripted.requests[1])[0]?.status).toBe("denied")
        expect(ran).toBe(false)
      }
    })
  }
})

describe("advice on an unknown name is passed over, where it", () => {
  for (const [what, wrong] of wrongs)
    test(what, async () => {
      const advice = Effect.flatMap(UnknownToolAdvice, (all) =>
        Effect.andThen(
          all.register(wrong as never),
          all.register(() => Effect.succeed(Option.some(ToolResult.failed("from the second"))))
        )
      )
      const scripted = ScriptedModel.make([{ calls: [{ name: "nosuch" }] }, { text: "done" }])
      const { outcome } = await runWith({}, advice, scripted)
      expect(outcome.finished.status).toBe("completed")
      const [result] = ScriptedModel.newResults(scripted.requests[1])
      expect(ScriptedModel.resultText(result)).toBe("from the second")
    })
})

describe("a call waits for a person, where the approver", () => {
  for (const [what, wrong] of wrongs.filter(([name]) => !name.startsWith("hangs")))
    test(what, async () => {
      const approver = Layer.succeed(Approver, { ask: wrong as never })
      const asks = TestAgent.tool("asks", undefined, { spec: { requires_confirmation: true } })
      const scripted = ScriptedModel.make([{ calls: [{ name: "asks" }] }])
      const { outcome } = await runWith({ approver }, TestAgent.register(asks), scripted, {
        permission: "workspace-write"
      })
      expect(outcome.finished.status).toBe("waiting_approval")
    })
})

test("a model whose code interrupts itself is a connection that broke: it is tried again, and the run is not cancelled", async () => {
  const quits = { text: "half", pause: Effect.interrupt }
  const scripted = ScriptedModel.make([quits, quits, { text: "here" }])
  const { events, outcome } = await runWith({}, Effect.void, scripted)
  expect(outcome.finished).toMatchObject({ status: "completed", text: "here" })
  expect(TestAgent.ofType(events, "retry_scheduled")).toHaveLength(2)
})
