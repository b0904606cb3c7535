import { describe, expect, test } from "bun:test"
import { Message, SkillCatalog, ToolResult, Transcript } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import * as AgentLimits from "../../src/AgentLimits.ts"
import * as ContextWindow from "../../src/step/ContextWindow.ts"
import * as ReadSkills from "../../src/step/ReadSkills.ts"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

const limits = { maxTokens: 64_000, maxTurns: 30, maxEarlierResultChars: 20_000 }
const card = (name: string, available = true) => ({
  name,
  description: "d",
  path: `/s/${name}/SKILL.md`,
  available
})
const request: ReadSkills.ReadRequest = {
  cards: [card("tea"), card("coffee"), card("needy", false)],
  readTools: new Set(["open_file"]),
  workspace: "/work"
}

const call = (
  id: string,
  name: string,
  input: Message.JsonObject,
  text: string,
  status: Message.ToolStatus = "ok"
): ReadonlyArray<Message.Message> => [
  { role: "assistant", parts: [{ type: "tool_call", id, name, input }] },
  { role: "user", parts: [{ type: "tool_result", callId: id, name, status, content: [Message.text(text)] }] }
]
const read = (id: string, skill: string, text: string, more: Message.JsonObject = {}) =>
  call(id, "open_file", { path: `/s/${skill}/SKILL.md`, ...more }, text)
const all = (messages: ReadonlyArray<Message.Message>) => JSON.stringify(messages)

describe("skills that were read", () => {
  test("are results of the read tool for a skill's path, and the text given to a call by a skill's name", () => {
    const found = ReadSkills.find(
      [
        Message.userText("go"),
        ...read("1", "tea", "TEA"),
        ...call("2", "coffee", {}, "it is a skill: the whole of /s/coffee/SKILL.md\nCOFFEE", "error"),
        ...call("3", "open_file", { path: "/s/other.md" }, "no"),
        ...call("4", "open_file", { path: "/s/tea/SKILL.md" }, "not found", "error"),
        ...call("5", "needy", {}, "missing bins: x", "error"),
        ...call("6", "bash", { path: "/s/tea/SKILL.md" }, "no")
      ],
      request
    )
    expect(found.map(({ callId, name }) => [name, callId])).toEqual([
      ["tea", "1"],
      ["coffee", "2"]
    ])
  })

  test("count as they were read last, but a part never stands for the whole", () => {
    const found = ReadSkills.find(
      [
        Message.userText("go"),
        ...read("1", "coffee", "OLD"),
        ...read("2", "tea", "WHOLE"),
        ...read("3", "coffee", "NEW"),
        ...read("4", "tea", "PART", { offset: 5 })
      ],
      request
    )
    expect(found.map(({ callId }) => callId)).toEqual(["2", "3"])
  })

  test("at a path below the workspace are known by it", () => {
    const cards = [{ ...card("mine"), path: "/work/.cow/skills/mine/SKILL.md" }]
    const messages = [
      Message.userText("go"),
      ...call("1", "open_file", { path: "./.cow/skills/mine/SKILL.md" }, "X")
    ]
    expect(ReadSkills.find(messages, { ...request, cards })).toHaveLength(1)
  })
})

describe("the window with skills", () => {
  const skillsIn = (messages: ReadonlyArray<Message.Message>) => ReadSkills.find(messages, request)

  test("keeps the text of a skill whose turn is dropped, before the first message that is kept", () => {
    const messages = [
      Message.userText("use tea"),
      ...read("1", "tea", `TEA-RULES ${"t".repeat(2_000)}`),
      Message.assistantText("done"),
      ...Array.from({ length: 12 }, (_, at) => [
        Message.userText(`q${at} ${"x".repeat(4_000)}`),
        Message.assistantText("a")
      ]).flat(),
      Message.userText("now")
    ]
    const tight = { ...limits, maxTokens: 6_000 }
    expect(all(ContextWindow.fit(messages, tight, 0).messages)).not.toContain("TEA-RULES")
    const window = ReadSkills.fit(messages, tight, 0, skillsIn(messages))
    expect(all(window.messages)).toContain(`TEA-RULES ${"t".repeat(2_000)}`)
    expect(all(window.messages)).toContain("/s/tea/SKILL.md")
    expect(window.compacted).toBe(true)
    expect(window.afterTokens).toBeLessThanOrEqual(6_000)
  })

  test("keeps it when the steps of one long turn are shortened", () => {
    const messages = [
      Message.userText("work"),
      ...read("s", "tea", `TEA-RULES ${"t".repeat(3_000)}`),
      ...Array.from({ length: 24 }, (_, at) => call(String(at), "t", {}, "r".repeat(6_000))).flat()
    ]
    const window = ReadSkills.fit(messages, { ...limits, maxTokens: 9_000 }, 0, skillsIn(messages))
    expect(all(window.messages).split(`TEA-RULES ${"t".repeat(3_000)}`)).toHaveLength(2)
    expect(Transcript.isValid(window.messages)).toBe(true)
  })

  test("is the plain one while no skill's text is lost", () => {
    const messages = [
      Message.userText("a"),
      ...read("1", "tea", "T"),
      Message.assistantText("b"),
      Message.userText("c")
    ]
    expect(ReadSkills.fit(messages, limits, 0, skillsIn(messages))).toEqual(
      ContextWindow.fit(messages, limits, 0)
    )
  })

  test("of any history is valid, within the limit where the plain one is, and gives skills at most their share", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("other" as const), size: fc.nat(9_000) }),
      fc.record({
        kind: fc.constantFrom("tea" as const, "coffee" as const),
        size: fc.integer({ min: 1, max: 12_000 })
      })
    )
    const turn = fc.record({ size: fc.nat(5_000), steps: fc.array(step, { maxLength: 4 }) })
    let kept = 0
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 1, maxLength: 10 }),
        fc.integer({ min: 500, max: 9_000 }),
        fc.nat(400),
        (turns, maxTokens, overhead) => {
          let id = 0
          const messages = turns.flatMap(({ size, steps }, at) => [
            Message.userText(`user ${at} ${"u".repeat(size)}`),
            ...steps.flatMap(({ kind, size: chars }) =>
              kind === "other"
                ? call(`c${id++}`, "t", {}, "r".repeat(chars))
                : read(`c${id++}`, kind, "é".repeat(chars))
            ),
            ...(at < turns.length - 1 ? [Message.assistantText("yes")] : [])
          ])
          const now = { ...limits, maxTokens, maxTurns: 5 }
          const plain = ContextWindow.fit(messages, now, overhead)
          const window = ReadSkills.fit(messages, now, overhead, skillsIn(messages))
          const room = maxTokens - overhead
          expect(Transcript.isValid(window.messages)).toBe(true)
          expect(window.afterTokens).toBeLessThanOrEqual(Math.max(room, plain.afterTokens))
          expect(window.afterTokens).toBe(ContextWindow.estimate(window.messages))
          expect(all(window.messages)).toContain(
            `user ${turns.length - 1} ${"u".repeat(turns.at(-1)?.size ?? 0)}`
          )
          const added = window.messages
            .flatMap((message) => (message.role === "user" ? message.parts : []))
            .filter((part) => part.type === "text" && part.text.startsWith("[The skill "))
          if (added.length > 0) kept++
          const tokens = ContextWindow.estimate([{ role: "user", parts: added }]) - 4
          expect(tokens).toBeLessThanOrEqual(Math.max(0, room) * ReadSkills.maxShare)
        }
      ),
      { numRuns: 300 }
    )
    expect(kept).toBeGreaterThan(30)
  })
})

test("the text of a skill read in this session survives compaction", async () => {
  const catalog = Layer.succeed(SkillCatalog, { cards: () => Effect.succeed([card("tea")]) })
  const body = `TEA-RULES ${"t".repeat(1_000)}`
  const reader = TestAgent.tool("open_file", () => Effect.succeed(ToolResult.ok(body)), { role: "read-file" })
  const big = TestAgent.tool("big", () => Effect.succeed(ToolResult.ok("r".repeat(9_000))))
  const calls = Array.from({ length: 8 }, (_, at) => ({
    calls: [{ id: `b${at}`, name: "big", input: { text: String(at) } }]
  }))
  const scripted = ScriptedModel.make([
    { calls: [{ id: "s", name: "open_file", input: { path: card("tea").path } }] },
    ...calls,
    { text: "done" }
  ])
  const { events } = await TestAgent.test(
    TestAgent.runOnce(scripted, [reader, big]).pipe(Effect.provideService(AgentLimits.contextTokens, 6_000)),
    { skills: catalog }
  )
  expect(TestAgent.ofType(events, "context_compacted").length).toBeGreaterThan(0)
  const last = scripted.requests.at(-1)?.messages ?? []
  expect(all(last)).toContain(body)
  expect(Transcript.isValid(last)).toBe(true)
})
