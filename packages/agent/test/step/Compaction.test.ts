import { describe, expect, test } from "bun:test"
import { Message, Model, SessionStore, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Agent, AgentLimits } from "../../src/index.ts"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

const isSummary = ({ system }: Model.ModelRequest) =>
  system.some(({ text }) => text.startsWith("You sum up the beginning of a conversation"))

const textOf = ({ messages }: Model.ModelRequest) => messages.map(Message.textOf).join("\n")

/** Answers by number; a request for a summary by `sum`. In each answer to a prompt with "tool" it calls one first. */
const talker = (sum: (at: number) => ScriptedModel.ScriptedTurn) => {
  let summaries = 0
  return ScriptedModel.make((request, at) => {
    if (isSummary(request)) return sum(++summaries)
    const last = request.messages.at(-1)
    return last !== undefined && Message.textOf(last).includes("tool")
      ? { calls: [{ name: "echo", id: `c${at}` }] }
      : { text: `answer ${at}` }
  })
}

const usage = (inputTokens: number): Model.Usage => ({ ...Model.noUsage, inputTokens })

/** One run a prompt, in one session in which four turns fit. */
const talk = (scripted: ScriptedModel.ScriptedModel, prompts: ReadonlyArray<string>) =>
  TestAgent.test(
    Effect.gen(function* () {
      yield* TestAgent.register(TestAgent.tool("echo", () => Effect.succeed(ToolResult.ok("echoed"))))
      const events = yield* TestAgent.collect
      const outcomes = []
      for (const prompt of prompts) {
        const fiber = yield* Effect.forkChild(
          (yield* Agent).run(TestAgent.request(scripted, { sessionId: "s1", prompt }))
        )
        for (let at = 0; at < 100 && fiber.pollUnsafe() === undefined; at++) {
          for (let turn = 0; turn < 30; turn++) yield* Effect.yieldNow
          if (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("5 seconds")
        }
        outcomes.push(yield* Fiber.join(fiber))
      }
      const state = yield* (yield* SessionStore).load("s1")
      return { events, outcomes, state }
    }).pipe(Effect.provideService(AgentLimits.contextTurns, 4))
  )

const prompts = (count: number, last = "say") =>
  Array.from({ length: count }, (_, at) => (at === count - 1 ? `${last} ${at}` : `say ${at}`))

describe("what a request has no room for", () => {
  test("comes back as the model's own summary, made once in a request without tools, inside the first message", async () => {
    const scripted = talker(() => ({ text: "THE SUMMARY", usage: usage(1_000) }))
    const { events, outcomes, state } = await talk(scripted, prompts(5, "tool"))
    const summaries = scripted.requests.filter(isSummary)
    expect(summaries).toHaveLength(1)
    expect(summaries[0]).toMatchObject({ tools: [], toolChoice: "none" })
    expect(textOf(summaries[0] as Model.ModelRequest)).toContain("say 0")
    expect(textOf(summaries[0] as Model.ModelRequest)).not.toContain("tool 4")
    const after = scripted.requests.slice(scripted.requests.findIndex(isSummary) + 1)
    expect(after).toHaveLength(2)
    for (const request of after) {
      expect(textOf(request).split("THE SUMMARY")).toHaveLength(2)
      expect(Message.textOf(request.messages[0] as Message.Message)).toContain("THE SUMMARY")
      expect(textOf(request)).not.toContain("say 0")
      expect(textOf(request)).toContain("tool 4")
    }
    expect(outcomes.at(-1)?.finished.usage.input_tokens).toBe(1_020)
    expect(TestAgent.ofType(events, "context_compacted")).toHaveLength(1)
    expect(TestAgent.ofType(events, "text_delta").map(({ text }) => text)).not.toContain("THE S")
    expect(state.summary).toMatchObject({ text: "THE SUMMARY" })
    expect(state.messages.map(Message.textOf)).toContain("say 0")
    expect(JSON.stringify(state.messages)).not.toContain("THE SUMMARY")
  })

  test("is summed up again only when the rest has grown too long, over the summary there is", async () => {
    const scripted = talker((at) => ({ text: `SUMMARY ${at}` }))
    await talk(scripted, prompts(8))
    const summaries = scripted.requests.filter(isSummary)
    expect(summaries).toHaveLength(2)
    expect(textOf(summaries[1] as Model.ModelRequest)).toContain("SUMMARY 1")
    expect(textOf(summaries[1] as Model.ModelRequest)).not.toContain("say 0")
    const last = scripted.requests.at(-1) as Model.ModelRequest
    expect(textOf(last)).toContain("SUMMARY 2")
    expect(textOf(last)).not.toContain("SUMMARY 1")
  })

  const failures: ReadonlyArray<readonly [string, ScriptedModel.ScriptedTurn]> = [
    ["fails", { error: ScriptedModel.failure(new Model.InvalidRequest({ pairing: false })) }],
    ["is overloaded", { error: ScriptedModel.failure(new Model.Overloaded({})) }],
    ["says nothing", { text: "  " }],
    ["calls a tool", { calls: [{ name: "echo" }] }],
    ["breaks off", { text: "half", finish: "none" }],
    ["hangs", { text: "half", hang: true }],
    ["interrupts itself", { pause: Effect.interrupt }]
  ]
  for (const [what, turn] of failures)
    test(`comes back in its own first words where the model ${what}, and it is not asked again`, async () => {
      const scripted = talker(() => turn)
      const { outcomes, state } = await talk(scripted, prompts(5, "tool"))
      expect(scripted.requests.filter(isSummary)).toHaveLength(1)
      expect(outcomes.at(-1)?.finished.status).toBe("completed")
      const last = scripted.requests.at(-1) as Model.ModelRequest
      expect(Message.textOf(last.messages[0] as Message.Message)).toContain("asked: say 0")
      expect(state.summary?.text).toContain("asked: say 0")
    })

  test("is never asked of a model that is none", async () => {
    const scripted = talker(() => ({ text: "THE SUMMARY" }))
    Object.assign(scripted.model, { summarises: false })
    await talk(scripted, prompts(6))
    expect(scripted.requests.filter(isSummary)).toHaveLength(0)
    expect(textOf(scripted.requests.at(-1) as Model.ModelRequest)).toContain("asked: say 0")
  })

  test("is summed up in bounds, however much the model says", async () => {
    const scripted = talker(() => ({ text: "long ".repeat(10_000) }))
    const { state } = await talk(scripted, prompts(5))
    expect(state.summary?.text.length).toBeLessThanOrEqual(6_000)
  })
})
