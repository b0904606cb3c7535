import { afterEach, describe, expect, test } from "bun:test"
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
import { type Answer, chat, sse } from "./Wire.ts"

const { start, stop } = endpoints()
afterEach(stop)

describe("chat completions", () => {
  const answer = [
    chat({ role: "assistant", content: "" }),
    chat({ content: "hello 汉字 🚀" }),
    chat({ content: " — ümläut" }),
    chat({}, "stop"),
    {
      ...chat({}),
      choices: [],
      usage: { prompt_tokens: 100, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 60 } }
    }
  ]

  test("the same text comes whatever the bytes are cut into", async () => {
    const bytes = new TextEncoder().encode(
      `: a comment\r\n\r\n${sse(...answer, "[DONE]").replaceAll("\n", "\r\n")}`
    )
    for (const size of [1, 7, 64]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.slice(at * size, (at + 1) * size)
      )
      const wire = start({ pieces })
      const events = await reply(settings("openai-compatible", `${wire.url}/v1/`))
      expect(textOf(events)).toBe("hello 汉字 🚀 — ümläut")
      expect(finishOf(events)?.usage).toEqual({ inputTokens: 100, outputTokens: 10, cachedTokens: 60 })
      expect(wire.received[0]?.path).toBe("/v1/chat/completions")
    }
  })

  test("[DONE] ends the reply though the socket stays open", async () => {
    const wire = start({ pieces: [sse(...answer, "[DONE]")], socket: "open" })
    expect(textOf(await reply(settings("openai-compatible", `${wire.url}/v1`)))).toContain("hello")
    await wire.letGo
  })

  test("a finish reason is enough", async () => {
    const wire = start(whole(chat({ content: "fine" }), chat({}, "stop")))
    expect(finishOf(await reply(settings("openai-compatible", `${wire.url}/v1`)))?.reason).toBe("stop")
  })

  for (const [name, answer] of [
    ["text and then the end", whole(chat({ content: "The three" }))],
    [
      "a whole call and then the end",
      whole(
        chat({
          tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "a", arguments: "{}" } }]
        })
      )
    ],
    ["half an event", { pieces: [`${sse(chat({ content: "The" }))}data: {"id":"c1","choi`] }],
    ["an empty body", { pieces: [] }]
  ] as ReadonlyArray<readonly [string, Answer]>)
    test(`${name} is a transport error, never a whole reply`, async () => {
      const wire = start(answer)
      const { error, before } = await failure(settings("openai-compatible", `${wire.url}/v1`))
      expect(error).toMatchObject({ _tag: "ModelError", reason: { _tag: "Transport" } })
      expect(finishOf(before)).toBeUndefined()
    })

  const piece = (id: string | undefined, name: string | undefined, args: string) =>
    chat({
      tool_calls: [
        {
          index: 0,
          ...(id === undefined ? {} : { id, type: "function" }),
          function: { ...(name === undefined ? {} : { name }), arguments: args }
        }
      ]
    })
  for (const [name, deltas] of [
    ["whole", [piece("ca", "get", '{"path":"a"}'), piece("cb", "get", '{"path":"b"}')]],
    [
      "in pieces",
      [
        piece("ca", "get", ""),
        piece(undefined, undefined, '{"path":'),
        piece(undefined, undefined, '"a"}'),
        piece("cb", "list", ""),
        piece(undefined, undefined, '{"path":'),
        piece(undefined, undefined, '"b"}')
      ]
    ]
  ] as const)
    test(`two calls with the same index and different ids stay two (${name})`, async () => {
      const wire = start(whole(...deltas, chat({}, "tool_calls"), "[DONE]"))
      const calls = callsOf(await reply(settings("openai-compatible", `${wire.url}/v1`)))
      expect(calls.map(({ id, arguments: written }) => [id, written])).toEqual([
        ["ca", '{"path":"a"}'],
        ["cb", '{"path":"b"}']
      ])
    })

  test("interleaved pieces of two calls find their call", async () => {
    const at = (index: number, id: string | undefined, args: string) =>
      chat({
        tool_calls: [
          {
            index,
            ...(id === undefined ? {} : { id }),
            function: { ...(id === undefined ? {} : { name: "get" }), arguments: args }
          }
        ]
      })
    const wire = start(
      whole(
        at(0, "x", '{"p'),
        at(1, "y", '{"q'),
        at(0, undefined, '":1}'),
        at(1, undefined, '":2}'),
        chat({}, "tool_calls"),
        "[DONE]"
      )
    )
    expect(
      callsOf(await reply(settings("openai-compatible", `${wire.url}/v1`))).map((call) => call.arguments)
    ).toEqual(['{"p":1}', '{"q":2}'])
  })

  test("no arguments at all stay no arguments", async () => {
    const wire = start(whole(piece("ca", "get", ""), chat({}, "length"), "[DONE]"))
    const events = await reply(settings("openai-compatible", `${wire.url}/v1`))
    expect(callsOf(events)).toEqual([{ id: "ca", name: "get", arguments: "" }])
    expect(finishOf(events)?.reason).toBe("length")
  })

  test("reasoning comes as reasoning and goes back as reasoning_content; images are replaced by a note", async () => {
    const wire = start(
      whole(chat({ reasoning_content: "let me count" }), chat({ content: "42" }), chat({}, "stop"), "[DONE]")
    )
    const events = await reply(
      settings("openai-compatible", `${wire.url}/v1`),
      "fake/m",
      request({ messages: history, tools })
    )
    expect(events.find((event) => event._tag === "ReasoningDelta")?.text).toBe("let me count")
    const messages = wire.received[0]?.body.messages
    expect(messages.map((message: { role: string }) => message.role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "user"
    ])
    expect(messages[2].reasoning_content).toBe("think")
    expect(messages[3].content).toContain("an image was left out")
    expect(messages[4]).toMatchObject({ tool_call_id: "t2", content: "broken" })
    expect(wire.received[0]?.body.tools[0].function.parameters).toEqual(schema)
  })

  test("an error inside the stream is decoded", async () => {
    const wire = start(whole(chat({ content: "x" }), { error: { message: "busy", type: "server_error" } }))
    expect((await failure(settings("openai-compatible", `${wire.url}/v1`))).error).toMatchObject({
      reason: { _tag: "Overloaded" }
    })
  })
})
