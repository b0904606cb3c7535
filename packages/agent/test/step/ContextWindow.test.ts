import { describe, expect, test } from "bun:test"
import { Message, Transcript } from "@cow/core"
import * as fc from "fast-check"
import * as ContextWindow from "../../src/step/ContextWindow.ts"

const limits = { maxTokens: 64_000, maxTurns: 30, maxEarlierResultChars: 20_000 }

const exchange = (at: number, size = 10): ReadonlyArray<Message.Message> => [
  Message.userText(`question ${at} ${"q".repeat(size)}`),
  Message.assistantText(`answer ${at}`)
]

const step = (id: string, size: number): ReadonlyArray<Message.Message> => [
  { role: "assistant", parts: [{ type: "tool_call", id, name: "t", input: {} }] },
  {
    role: "user",
    parts: [
      { type: "tool_result", callId: id, name: "t", status: "ok", content: [Message.text("r".repeat(size))] }
    ]
  }
]

const turnsIn = (messages: ReadonlyArray<Message.Message>) => ContextWindow.turns(messages).length

describe("the window on a history", () => {
  test("a history that fits is sent as it is", () => {
    const messages = [...exchange(1), Message.userText("now")]
    const window = ContextWindow.fit(messages, limits, 0)
    expect(window.messages).toEqual(messages)
    expect(window.compacted).toBe(false)
  })

  test("31 turns with a limit of 30: the 16 newest are kept, with a summary in the first", () => {
    const messages = [...Array.from({ length: 30 }, (_, at) => exchange(at)).flat(), Message.userText("now")]
    const window = ContextWindow.fit(messages, limits, 0)
    expect(turnsIn(window.messages)).toBe(16)
    const first = Message.textOf(window.messages[0] as Message.Message)
    expect(first).toContain("Earlier in this conversation")
    expect(first).toContain("question 14 ")
    expect(first).toContain("answer: question 14".slice(0, 6))
    expect(window.messages.map(Message.textOf).join("").split("Earlier in this conversation").length).toBe(2)
  })

  test("turns over the token limit are dropped by halves until it fits", () => {
    const messages = [
      ...Array.from({ length: 9 }, (_, at) => exchange(at, 4_000)).flat(),
      Message.userText("now")
    ]
    expect(turnsIn(ContextWindow.fit(messages, { ...limits, maxTokens: 6_000 }, 0).messages)).toBe(5)
    expect(turnsIn(ContextWindow.fit(messages, { ...limits, maxTokens: 3_500 }, 0).messages)).toBe(3)
  })

  test("the system prompt and the tool schemas count", () => {
    const messages = [...exchange(1, 4_000), Message.userText("now")]
    const tight = { ...limits, maxTokens: 2_000 }
    expect(ContextWindow.fit(messages, tight, 0).compacted).toBe(false)
    expect(ContextWindow.fit(messages, tight, 1_500).compacted).toBe(true)
  })

  test("an earlier turn's long result is shortened with both numbers, the current one's is not", () => {
    const messages = [
      Message.userText("a"),
      ...step("1", 30_000),
      Message.assistantText("b"),
      Message.userText("c"),
      ...step("2", 30_000)
    ]
    const [earlier, current] = ContextWindow.fit(messages, limits, 0).messages.flatMap(Message.toolResultsOf)
    const text = (result: Message.ToolResultPart | undefined) =>
      (result?.content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("")
    expect(text(earlier).length).toBeLessThanOrEqual(20_000)
    expect(text(earlier)).toContain("30000 characters, shortened to 20000")
    expect(text(current).length).toBe(30_000)
  })

  test("two turns over the limit: the earlier is reduced to its texts, the new message stays whole", () => {
    const newest = "n".repeat(3_000)
    const messages = [
      Message.userText("a"),
      ...step("1", 8_000),
      Message.assistantText("b"),
      Message.userText(newest)
    ]
    const window = ContextWindow.fit(messages, { ...limits, maxTokens: 1_000 }, 0)
    expect(window.messages.map(Message.textOf)).toEqual(["a", "b", newest])
  })

  test("many steps in one turn shrink from the oldest on, and stay a valid transcript", () => {
    const steps = Array.from({ length: 24 }, (_, at) => step(String(at), 6_000)).flat()
    const messages = [Message.userText("work"), ...steps]
    for (const maxTokens of [500, 4_000, 9_000, 20_000]) {
      const window = ContextWindow.fit(messages, { ...limits, maxTokens }, 0)
      expect(window.afterTokens).toBeLessThanOrEqual(maxTokens)
      expect(Transcript.isValid(window.messages)).toBe(true)
      expect(Message.textOf(window.messages[0] as Message.Message)).toContain("work")
    }
  })

  test("any history: the newest user message stays, and no call is parted from its result", () => {
    const turn = fc.record({
      size: fc.nat(5_000),
      steps: fc.array(fc.nat(9_000), { maxLength: 4 }),
      answered: fc.boolean()
    })
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 1, maxLength: 12 }),
        fc.nat(8_000),
        fc.nat(1_000),
        (turns, maxTokens, overhead) => {
          let id = 0
          const messages = turns.flatMap(({ answered, size, steps }, at) => [
            Message.userText(`user ${at} ${"u".repeat(size)}`),
            ...steps.flatMap((chars) => step(`c${id++}`, chars)),
            ...(answered ? [Message.assistantText("yes")] : [])
          ])
          const window = ContextWindow.fit(messages, { ...limits, maxTokens, maxTurns: 5 }, overhead)
          expect(Transcript.isValid(window.messages)).toBe(true)
          expect(window.messages.map(Message.textOf).join("")).toContain(
            `user ${turns.length - 1} ${"u".repeat(turns.at(-1)?.size ?? 0)}`
          )
          expect(turnsIn(window.messages)).toBeLessThanOrEqual(5)
        }
      ),
      { numRuns: 200 }
    )
  })
})
