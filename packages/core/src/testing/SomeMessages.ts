/** Messages for tests of what stores and sends them. */
import * as Message from "../model/Message.ts"

/** One message of every kind of part, with text that storage likes to break. */
export const everyPart: ReadonlyArray<Message.Message> = [
  {
    role: "user",
    parts: [
      Message.text('quotes " \\ and \0 and \u2028 and \u{1F404}'),
      { type: "image", mediaType: "image/png", data: "aGVq" }
    ]
  },
  {
    role: "assistant",
    parts: [
      { type: "reasoning", text: "hm", providerData: { anthropic: { signature: "abc" } } },
      Message.text("lone \ud800 half"),
      { type: "tool_call", id: "1", name: "read", input: { path: "a", deep: [1, null, { x: true }] } }
    ]
  },
  {
    role: "user",
    parts: [{ type: "tool_result", callId: "1", name: "read", status: "denied", content: [Message.text("")] }]
  },
  { role: "assistant", parts: [] }
]
