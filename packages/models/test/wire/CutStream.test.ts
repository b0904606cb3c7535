import { afterEach, describe, expect, test } from "bun:test"
import type { ProviderEntry } from "../../src/index.ts"
import { callsOf, endpoints, failure, finishOf, reply, settings, text, textOf, toolUse } from "../Fixture.ts"
import { anthropic, anthropicEnd, chat, responses, serveBroken, sse } from "../Wire.ts"

const { start, stop } = endpoints()
afterEach(stop)

const call = '{"path":"x"}'
const message = { type: "message", id: "m1", role: "assistant", status: "completed", content: [] }
const item = {
  type: "function_call",
  id: "fc1",
  call_id: "t1",
  name: "a",
  arguments: call,
  status: "completed"
}
const begun = (index: number, item: object) => ({
  type: "response.output_item.added",
  output_index: index,
  item
})
const done = (index: number, item: object) => ({
  type: "response.output_item.done",
  output_index: index,
  item
})
const said = {
  type: "response.output_text.delta",
  item_id: "m1",
  output_index: 0,
  content_index: 0,
  delta: "hello"
}
const ofResponses = (...events: ReadonlyArray<object>) => responses([], events).slice(0, -1)
const wholeResponse = ofResponses(
  begun(0, message),
  said,
  done(0, message),
  begun(1, { ...item, arguments: "" }),
  done(1, item)
)
const chatCall = chat({
  tool_calls: [{ index: 0, id: "t1", type: "function", function: { name: "a", arguments: call } }]
})

/** Everything that matters was said; what follows is only the end. */
const spoken: ReadonlyArray<readonly [ProviderEntry["type"], string, string]> = [
  [
    "anthropic",
    sse(...anthropic(text("hello"), toolUse("t1", "a", call)), ...anthropicEnd("tool_use").slice(0, 1)),
    sse({ type: "message_stop" })
  ],
  [
    "openai-compatible",
    sse(chat({ content: "hello" }), chatCall, chat({}, "tool_calls")),
    sse(
      { ...chat({}), choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
      "[DONE]"
    )
  ],
  [
    "openai",
    sse(...wholeResponse),
    sse({
      type: "response.completed",
      response: { id: "r1", output: [message, item], usage: { input_tokens: 1, output_tokens: 1 } }
    })
  ]
]

const outcome = async (type: ProviderEntry["type"], url: string) => {
  const events = await reply(settings(type, `${url}/v1`))
  return { text: textOf(events), calls: callsOf(events), reason: finishOf(events)?.reason }
}
const complete = {
  text: "hello",
  calls: [{ id: "t1", name: "a", arguments: call }],
  reason: "tool_calls" as const
}

describe("an answer of which only the end is missing stands", () => {
  for (const [type, most, end] of spoken) {
    test(`${type}, cut anywhere in the end`, async () => {
      for (let size = 0; size <= end.length; size += Math.max(1, Math.floor(end.length / 12))) {
        const wire = start({ pieces: [most, end.slice(0, size)] })
        expect(await outcome(type, wire.url)).toEqual(complete)
        expect(wire.received.length).toBe(1)
      }
    })

    test(`${type}, cut before the blank line of the last event that matters`, async () => {
      expect(await outcome(type, start({ pieces: [most.slice(0, -1)] }).url)).toEqual(complete)
      expect(await outcome(type, start({ pieces: [most.slice(0, -2)] }).url)).toEqual(complete)
    })

    test(`${type}, the connection dropped in the end`, async () => {
      const wire = await serveBroken(most + end.slice(0, 9), "drop")
      expect(await outcome(type, wire.url)).toEqual(complete)
      await wire.stop()
    })

    test(`${type}, the socket left open after the end`, async () => {
      const wire = start({ pieces: [most, end], socket: "open" })
      expect(await outcome(type, wire.url)).toEqual(complete)
      await wire.letGo
    })
  }

  for (const [type, most] of spoken.slice(0, 2)) {
    test(`${type}, a broken event in place of the end`, async () => {
      const wire = start({ pieces: [most, 'data: {"type": "mess\n\n'] })
      expect(await outcome(type, wire.url)).toEqual(complete)
    })

    test(`${type}, an error behind it`, async () => {
      const late = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
      expect(await outcome(type, start({ pieces: [most, sse(late)] }).url)).toEqual(complete)
    })
  }
})

describe("an answer that is not whole is void", () => {
  const opened = anthropic(text("hello"), toolUse("t1", "a", call))
  const cut: ReadonlyArray<readonly [string, ProviderEntry["type"], string]> = [
    ["anthropic, no stop reason", "anthropic", sse(...opened)],
    [
      "anthropic, a stop reason with a block still open",
      "anthropic",
      sse(...opened.slice(0, -1), ...anthropicEnd("tool_use").slice(0, 1))
    ],
    [
      "anthropic, text that ends in order without a stop reason",
      "anthropic",
      sse(...anthropic(text("hel")), { type: "message_stop" })
    ],
    [
      "anthropic, half arguments that end in order without a stop reason",
      "anthropic",
      sse(...anthropic(toolUse("t1", "a", '{"path":')), { type: "message_stop" })
    ],
    [
      "chat, text that ends in order without a finish reason",
      "openai-compatible",
      sse(chat({ content: "hel" }), "[DONE]")
    ],
    ["chat, a whole call and then nothing", "openai-compatible", sse(chatCall)],
    [
      "chat, half arguments that end in order without a finish reason",
      "openai-compatible",
      sse(
        chatCall,
        chat({ tool_calls: [{ index: 1, id: "t2", function: { name: "b", arguments: '{"pa' } }] }),
        "[DONE]"
      )
    ],
    ["responses, an item still open", "openai", sse(...ofResponses(begun(0, message), said))],
    [
      "responses, only thinking was done",
      "openai",
      sse(
        ...ofResponses(
          begun(0, { type: "reasoning", id: "r", summary: [] }),
          done(0, { type: "reasoning", id: "r", summary: [] })
        )
      )
    ],
    [
      "responses, a comment on what comes next",
      "openai",
      sse(...ofResponses(begun(0, message), said, done(0, { ...message, phase: "commentary" })))
    ],
    [
      "responses, half arguments",
      "openai",
      sse(...ofResponses(begun(0, { ...item, arguments: "" }), done(0, { ...item, arguments: '{"pa' })))
    ]
  ]
  for (const [name, type, stream] of cut)
    test(name, async () => {
      const ended = start({ pieces: [stream] })
      const { error, before } = await failure(settings(type, `${ended.url}/v1`))
      expect(error).toMatchObject({ _tag: "ModelError", reason: { _tag: "Transport" } })
      expect(finishOf(before)).toBeUndefined()
      const broken = await serveBroken(stream, "drop")
      expect((await failure(settings(type, `${broken.url}/v1`))).error.reason._tag).toBe("Transport")
      await broken.stop()
    })
})

describe("without a stop reason whole calls run when the stream ends in order", () => {
  const finished = { ...complete, text: "" }

  test("anthropic: message_stop", async () => {
    const blocks = anthropic(toolUse("t1", "a", call))
    expect(
      await outcome("anthropic", start({ pieces: [sse(...blocks, { type: "message_stop" })] }).url)
    ).toEqual(finished)
    const [, last] = anthropicEnd("end_turn")
    const without = { type: "message_delta", delta: {}, usage: { output_tokens: 3 } }
    expect(
      await outcome("anthropic", start({ pieces: [sse(...blocks, without, last as object)] }).url)
    ).toEqual(finished)
  })

  test("anthropic: a stop reason once given stays, and needs no count of tokens", async () => {
    const blocks = anthropic(toolUse("t1", "a", call))
    const given = { type: "message_delta", delta: { stop_reason: "tool_use" } }
    const empty = { type: "message_delta", delta: { stop_reason: null }, usage: { output_tokens: 3 } }
    const wire = start({ pieces: [sse(...blocks, given, empty, { type: "message_stop" })] })
    expect(await outcome("anthropic", wire.url)).toEqual(finished)
  })

  for (const [name, rest] of [
    ["[DONE]", ["[DONE]"]],
    ["an empty finish reason and [DONE]", [chat({}, ""), "[DONE]"]],
    ["the count of tokens", [{ ...chat({}), choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }]]
  ] as const)
    test(`chat: ${name}`, async () => {
      const wire = start({ pieces: [sse(chatCall, ...rest)] })
      expect(await outcome("openai-compatible", wire.url)).toEqual(finished)
    })

  test("chat: a call without arguments", async () => {
    const bare = chat({ tool_calls: [{ index: 0, id: "t1", function: { name: "a" } }] })
    const wire = start({ pieces: [sse(bare, "[DONE]")] })
    expect(await outcome("openai-compatible", wire.url)).toEqual({
      ...finished,
      calls: [{ id: "t1", name: "a", arguments: "" }]
    })
  })
})
