import { afterEach, describe, expect, test } from "bun:test"
import { Message } from "@cow/core"
import {
  callsOf,
  endpoints,
  failure,
  finishOf,
  history,
  reply,
  request,
  schema,
  settings,
  textOf,
  tools,
  whole
} from "./Fixture.ts"
import { responses } from "./Wire.ts"

const { start, stop } = endpoints()
afterEach(stop)

describe("responses", () => {
  const item = {
    type: "function_call",
    id: "fc1",
    call_id: "call1",
    name: "a",
    arguments: '{"path":"x"}',
    status: "completed"
  }
  const at = { item_id: "fc1", output_index: 0 }

  test("text, a call and the usage come out as events; nothing is stored at the provider", async () => {
    const message = { type: "message", id: "m1", role: "assistant", status: "completed", content: [] }
    const wire = start(
      whole(
        ...responses(
          [item],
          [
            { type: "response.output_item.added", output_index: 1, item: message },
            {
              type: "response.output_text.delta",
              item_id: "m1",
              output_index: 1,
              content_index: 0,
              delta: "hello"
            },
            { type: "response.output_item.done", output_index: 1, item: message },
            {
              type: "response.output_item.added",
              output_index: 0,
              item: { ...item, arguments: "", status: "in_progress" }
            },
            { type: "response.function_call_arguments.delta", ...at, delta: '{"path":' },
            { type: "response.function_call_arguments.delta", ...at, delta: '"x"}' },
            { type: "response.function_call_arguments.done", ...at, arguments: item.arguments },
            { type: "response.output_item.done", output_index: 0, item }
          ]
        )
      )
    )
    const events = await reply(
      settings("openai", `${wire.url}/v1`),
      "fake/gpt-5.5",
      request({ messages: history, tools })
    )
    expect(textOf(events)).toBe("hello")
    expect(callsOf(events)).toEqual([{ id: "call1", name: "a", arguments: '{"path":"x"}' }])
    expect(finishOf(events)).toMatchObject({
      reason: "tool_calls",
      usage: { inputTokens: 100, outputTokens: 10, cachedTokens: 40 }
    })
    const body = wire.received[0]?.body
    expect(wire.received[0]?.path).toBe("/v1/responses")
    expect(body.store).toBe(false)
    expect(body.tools[0]).toMatchObject({ strict: false, parameters: schema })
    expect(
      body.input
        .filter((one: { type?: string }) => one.type === "function_call_output")
        .map((one: { call_id: string }) => one.call_id)
    ).toEqual(["t1", "t2"])
    expect(
      body.input.find(
        (one: { call_id?: string; output?: unknown }) => one.call_id === "t2" && one.output !== undefined
      ).output
    ).toBe("broken")
  })

  test("a stream that ends before the response is complete is a transport error", async () => {
    const wire = start(whole(...responses([], []).slice(0, -1)))
    expect((await failure(settings("openai", `${wire.url}/v1`))).error).toMatchObject({
      reason: { _tag: "Transport" }
    })
  })

  test("an error event is decoded", async () => {
    const wire = start(
      whole(...responses([], []).slice(0, -1), {
        type: "error",
        code: "server_error",
        message: "boom",
        param: null,
        sequence_number: 1
      })
    )
    expect((await failure(settings("openai", `${wire.url}/v1`))).error).toMatchObject({
      reason: { _tag: "Overloaded" }
    })
  })

  test("thinking comes with its encrypted form and goes back with it", async () => {
    const thought = {
      type: "reasoning",
      id: "rs1",
      encrypted_content: "ENC",
      summary: [{ type: "summary_text", text: "hm" }]
    }
    const part = { item_id: "rs1", output_index: 0, summary_index: 0 }
    const wire = start(
      whole(
        ...responses(
          [thought, item],
          [
            {
              type: "response.output_item.added",
              output_index: 0,
              item: { ...thought, encrypted_content: null, summary: [] }
            },
            { type: "response.reasoning_summary_part.added", ...part },
            { type: "response.reasoning_summary_text.delta", ...part, delta: "hm" },
            { type: "response.reasoning_summary_part.done", ...part },
            { type: "response.output_item.done", output_index: 0, item: thought },
            { type: "response.output_item.added", output_index: 1, item: { ...item, arguments: "" } },
            { type: "response.output_item.done", output_index: 1, item }
          ]
        )
      )
    )
    const given = settings("openai", `${wire.url}/v1`)
    const events = await reply(given, "fake/gpt-5.5")
    const thinking = events.filter((event) => event._tag === "ReasoningDelta")
    const providerData = thinking.at(-1)?.providerData
    expect(providerData).toMatchObject({ openai: { itemId: "rs1", reasoningEncryptedContent: "ENC" } })
    const messages: ReadonlyArray<Message.Message> = [
      Message.userText("go"),
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "hm", ...(providerData === undefined ? {} : { providerData }) },
          { type: "tool_call", id: "call1", name: "a", input: { path: "x" } }
        ]
      },
      {
        role: "user",
        parts: [
          { type: "tool_result", callId: "call1", name: "a", status: "ok", content: [Message.text("1")] }
        ]
      }
    ]
    await reply(given, "fake/gpt-5.5", request({ messages }))
    const sent = wire.received[1]?.body
    expect(sent.include).toContain("reasoning.encrypted_content")
    expect(sent.input.find((one: { type?: string }) => one.type === "reasoning")).toMatchObject({
      encrypted_content: "ENC"
    })
  })
})
