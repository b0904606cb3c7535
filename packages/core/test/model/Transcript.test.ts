import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { Message, Transcript } from "../../src/index.ts"

const { assistantText, text, userText } = Message

const call = (id: string, name = "read"): Message.ToolCallPart => ({ type: "tool_call", id, name, input: {} })
const result = (callId: string, content = `result of ${callId}`): Message.ToolResultPart => ({
  type: "tool_result",
  callId,
  name: "read",
  status: "ok",
  content: [text(content)]
})
const user = (...parts: ReadonlyArray<Message.UserPart>): Message.UserMessage => ({ role: "user", parts })
const assistant = (...parts: ReadonlyArray<Message.AssistantPart>): Message.AssistantMessage => ({
  role: "assistant",
  parts
})

/** The rules of the module's header, written down a second time. */
const faults = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const ids = new Set<string>()
  if (messages[0]?.role === "assistant") found.push("starts with an assistant")
  for (const [at, message] of messages.entries()) {
    if (message.parts.length === 0) found.push(`${at}: empty`)
    for (const { id } of Message.toolCallsOf(message)) {
      if (id === "" || ids.has(id)) found.push(`${at}: id ${id} is empty or used twice`)
      ids.add(id)
    }
    if (message.role === "assistant") {
      const calls = Message.toolCallsOf(message).map(({ id }) => id)
      const following = messages[at + 1]
      const answers = following === undefined ? [] : Message.toolResultsOf(following)
      if (following?.role !== "user" && calls.length > 0) found.push(`${at}: calls without an answer`)
      if (calls.join() !== answers.map(({ callId }) => callId).join())
        found.push(`${at}: ${calls} answered wrongly`)
    } else if (messages[at - 1]?.role !== "assistant" && Message.toolResultsOf(message).length > 0)
      found.push(`${at}: results after no call`)
    const firstOther = message.parts.findIndex((part) => part.type !== "tool_result")
    if (firstOther >= 0 && message.parts.slice(firstOther).some((part) => part.type === "tool_result"))
      found.push(`${at}: a result after text`)
  }
  return found
}

const textsOf = (messages: ReadonlyArray<Message.Message>) =>
  messages.flatMap((message) =>
    (message.parts as ReadonlyArray<Message.UserPart | Message.AssistantPart>).filter(
      ({ type }) => type !== "tool_result" && type !== "tool_call"
    )
  )

const id = fc.constantFrom("", "1", "2", "3", "1_2", "call", "call_2")
const textPart = fc.string({ maxLength: 3 }).map(text)
const image = fc.constant<Message.ImagePart>({ type: "image", mediaType: "image/png", data: "eA==" })
const reasoning = fc.constant<Message.ReasoningPart>({ type: "reasoning", text: "hm" })
const resultPart = fc
  .tuple(id, fc.string({ maxLength: 3 }))
  .map(([callId, content]) => result(callId, content))
/** Any list of messages at all: duplicate ids, lone and late results, empty messages. */
const garbage = fc.array(
  fc.oneof(
    fc
      .array(fc.oneof(textPart, image, resultPart, resultPart), { maxLength: 4 })
      .map((parts) => user(...parts)),
    fc
      .array(
        fc.oneof(
          textPart,
          reasoning,
          id.map((one) => call(one)),
          id.map((one) => call(one))
        ),
        { maxLength: 4 }
      )
      .map((parts) => assistant(...parts))
  ),
  { maxLength: 10 }
)

/** Transcripts that keep the rules: every round has fresh ids. */
const valid = fc
  .array(fc.tuple(fc.nat({ max: 3 }), fc.array(textPart, { maxLength: 2 })), { maxLength: 5 })
  .map(
    (rounds): ReadonlyArray<Message.Message> => [
      userText("hello"),
      ...rounds.flatMap(([calls, texts], round) => {
        const ids = Array.from({ length: calls }, (_, n) => `${round}.${n}`)
        return [
          assistant(text("on it"), ...ids.map((one) => call(one))),
          user(...ids.map((one) => result(one)), ...(calls === 0 ? [text("go on")] : texts))
        ]
      })
    ]
  )

describe("repair", () => {
  test("answers open calls of the last message as interrupted errors", () => {
    const { changes, messages } = Transcript.repair([userText("go"), assistant(call("1"), call("2"))])
    expect(changes).toBe(1)
    expect(messages.length).toBe(3)
    const answers = Message.toolResultsOf(messages[2] as Message.Message)
    expect(answers.map(({ callId, status }) => [callId, status])).toEqual([
      ["1", "cancelled"],
      ["2", "cancelled"]
    ])
    expect(answers[0]?.content).toEqual([text(expect.stringContaining("interrupted") as unknown as string)])
  })

  test("adds the answer of the second call beside the real one of the first", () => {
    const { messages } = Transcript.repair([
      userText("go"),
      assistant(call("1"), call("2")),
      user(result("1"))
    ])
    expect(messages.slice(2)).toEqual([user(result("1"), Transcript.interruptedResult(call("2")))])
  })

  test("puts results before what the user said in between", () => {
    const { messages } = Transcript.repair([
      userText("go"),
      assistant(call("1")),
      userText("hurry"),
      user(result("1"), text("there"))
    ])
    expect(messages.slice(2)).toEqual([user(result("1"), text("hurry")), user(text("there"))])
  })

  test("sorts results into the order of their calls", () => {
    const { messages } = Transcript.repair([
      userText("go"),
      assistant(call("1"), call("2")),
      user(result("2"), result("1"))
    ])
    expect(messages[2]).toEqual(user(result("1"), result("2")))
  })

  test("removes a lone result at the start, and an orphan in the middle without its message's text", () => {
    const { messages } = Transcript.repair([
      user(result("0")),
      userText("go"),
      assistantText("yes"),
      user(result("9"), text("kept")),
      assistantText("fine")
    ])
    expect(messages).toEqual([
      userText("go"),
      assistantText("yes"),
      user(text("kept")),
      assistantText("fine")
    ])
  })

  test("removes a late or second result of a call that is answered; the first counts", () => {
    const { messages } = Transcript.repair([
      userText("go"),
      assistant(call("1")),
      user(result("1", "first"), result("1", "second")),
      assistantText("done"),
      user(result("1", "late"), text("thanks"))
    ])
    expect(messages).toEqual([
      userText("go"),
      assistant(call("1")),
      user(result("1", "first")),
      assistantText("done"),
      user(text("thanks"))
    ])
  })

  test("an empty assistant message does not stand between a call and its result", () => {
    const { messages } = Transcript.repair([
      userText("go"),
      assistant(call("1")),
      assistant(),
      user(result("1"))
    ])
    expect(messages).toEqual([userText("go"), assistant(call("1")), user(result("1"))])
  })

  test("a provider that counts its ids anew in every reply loses no result", () => {
    const { messages } = Transcript.repair([
      userText("go"),
      assistant(call("1")),
      user(result("1", "first")),
      assistant(call("1")),
      user(result("1", "second"))
    ])
    expect(messages.slice(3)).toEqual([
      assistant(call("1_2")),
      user({ ...result("1", "second"), callId: "1_2" })
    ])
  })

  test("two calls of one message with the same id get their results in order", () => {
    const { messages } = Transcript.repair([
      userText("go"),
      assistant(call("1"), call("1")),
      user(result("1", "first"), result("1", "second"))
    ])
    expect(messages.slice(1)).toEqual([
      assistant(call("1"), call("1_2")),
      user(result("1", "first"), { ...result("1", "second"), callId: "1_2" })
    ])
  })

  test("gives a call without an id one, and a conversation that starts with an assistant a beginning", () => {
    const { messages } = Transcript.repair([assistant(call(""))])
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    expect(Message.toolCallsOf(messages[1] as Message.Message)[0]?.id).toBe("call_2")
  })

  test("a valid transcript comes back by reference with 0 changes", () => {
    fc.assert(
      fc.property(valid, (messages) => {
        expect(faults(messages)).toEqual([])
        const repaired = Transcript.repair(messages)
        expect(repaired.changes).toBe(0)
        expect(repaired.messages).toBe(messages)
        expect(Transcript.isValid(messages)).toBe(true)
      })
    )
  })

  test("whatever comes in, the rules hold for what goes out", () => {
    fc.assert(
      fc.property(garbage, (messages) => {
        const repaired = Transcript.repair(messages)
        expect(faults(repaired.messages)).toEqual([])
        expect(repaired.changes === 0).toBe(faults(messages).length === 0)
      }),
      { numRuns: 2000 }
    )
  })

  test("twice is once", () => {
    fc.assert(
      fc.property(garbage, (messages) => {
        const once = Transcript.repair(messages).messages
        const twice = Transcript.repair(once)
        expect(twice.changes).toBe(0)
        expect(twice.messages).toBe(once)
      }),
      { numRuns: 1000 }
    )
  })

  test("no text, image or thought is lost or changes its place among the others", () => {
    fc.assert(
      fc.property(garbage, (messages) => {
        const { messages: repaired } = Transcript.repair(messages)
        const after = textsOf(repaired)
        const invented = after.length - textsOf(messages).length
        expect(invented === 0 || invented === 1).toBe(true)
        expect(after.slice(invented)).toEqual(textsOf(messages))
      }),
      { numRuns: 1000 }
    )
  })

  test("no call is lost, and none changes but in its id", () => {
    fc.assert(
      fc.property(garbage, (messages) => {
        const calls = (of: ReadonlyArray<Message.Message>) =>
          of.flatMap(Message.toolCallsOf).map((one) => ({ ...one, id: "" }))
        expect(calls(Transcript.repair(messages).messages)).toEqual(calls(messages))
      })
    )
  })

  test("what comes in is not touched", () => {
    fc.assert(
      fc.property(garbage, (messages) => {
        const before = structuredClone(messages)
        Transcript.repair(messages)
        expect(messages).toEqual(before)
      })
    )
  })
})

describe("openCalls", () => {
  test("are those of the last assistant message that no result answers", () => {
    const messages = [userText("go"), assistant(call("1"), call("2")), user(result("1"))]
    expect(Transcript.openCalls(messages)).toEqual([call("2")])
    expect(Transcript.openCalls([...messages, user(result("2"))])).toEqual([])
    expect(Transcript.openCalls([...messages, assistantText("never mind")])).toEqual([])
    expect(Transcript.openCalls([userText("go")])).toEqual([])
  })

  test("are none once a transcript is repaired", () => {
    fc.assert(
      fc.property(garbage, (messages) => {
        expect(Transcript.openCalls(Transcript.repair(messages).messages)).toEqual([])
      })
    )
  })
})

test("calledTools names each tool once, in the order of the first call", () => {
  const messages = [
    userText("go"),
    assistant(call("1", "b"), call("2", "a")),
    assistant(call("3", "b"), call("4", "c"))
  ]
  expect(Transcript.calledTools(messages)).toEqual(["b", "a", "c"])
})
