import { describe, expect, test } from "bun:test"
import { Message } from "@cow/core"
import * as fc from "fast-check"
import { SelectionQuery } from "../src/index.ts"

const { assistantText, userText } = Message
const call: Message.AssistantMessage = {
  role: "assistant",
  parts: [{ type: "tool_call", id: "c", name: "read", input: { path: "calendar" } }]
}
const result: Message.UserMessage = {
  role: "user",
  parts: [
    {
      type: "tool_result",
      callId: "c",
      name: "read",
      status: "ok",
      content: [Message.text("x".repeat(40_000))]
    }
  ]
}

describe("SelectionQuery", () => {
  test("without messages it is empty", () => expect(SelectionQuery.build([])).toBe(""))

  test("texts stand a line each, of both sides", () =>
    expect(SelectionQuery.build([userText("hello"), assistantText("world")])).toBe("hello\nworld"))

  test("calls and results are left out, however long", () =>
    expect(SelectionQuery.build([userText("do it"), call, result])).toBe("do it"))

  test("only the newest messages count: five, or as many as asked for", () => {
    const messages = Array.from({ length: 10 }, (_, at) => userText(`m${at}`))
    expect(SelectionQuery.build(messages)).toBe("m5\nm6\nm7\nm8\nm9")
    expect(SelectionQuery.build(messages, 3)).toBe("m7\nm8\nm9")
    expect(SelectionQuery.build(messages, 0)).toBe("")
    expect(SelectionQuery.build(messages, -1)).toBe("")
  })

  test("blank texts go, others are trimmed", () =>
    expect(
      SelectionQuery.build([userText(" a "), { role: "user", parts: [Message.text(" "), Message.text("b")] }])
    ).toBe("a\nb"))

  test("reasoning and images are left out", () =>
    expect(
      SelectionQuery.build([
        {
          role: "user",
          parts: [{ type: "image", mediaType: "image/png", data: "AAAA" }, Message.text("see")]
        },
        { role: "assistant", parts: [{ type: "reasoning", text: "hm" }, Message.text("seen")] }
      ])
    ).toBe("see\nseen"))

  test("the window counts messages, not texts", () => {
    expect(SelectionQuery.build([userText("old"), userText("one"), result, result, result, result])).toBe(
      "one"
    )
    expect(
      SelectionQuery.build([userText("weather?"), ...Array.from({ length: 5 }, () => userText("calendar"))])
    ).not.toContain("weather")
  })

  test("it is made of the last messages alone", () => {
    const message = fc.string().map(userText)
    fc.assert(
      fc.property(fc.array(message), fc.array(message, { minLength: 5, maxLength: 5 }), (before, last) => {
        expect(SelectionQuery.build([...before, ...last])).toBe(SelectionQuery.build(last))
      })
    )
  })
})
