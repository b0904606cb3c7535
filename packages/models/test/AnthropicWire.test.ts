import { afterEach, describe, expect, test } from "bun:test"
import { Message } from "@cow/core"
import {
  callsOf,
  endpoints,
  failure,
  finishOf,
  history,
  key,
  reply,
  request,
  schema,
  settings,
  text,
  textOf,
  tools,
  toolUse,
  whole
} from "./Fixture.ts"
import { anthropic, anthropicEnd } from "./Wire.ts"

const { start, stop } = endpoints()
afterEach(stop)

describe("anthropic", () => {
  test("text, thinking with its signature, a call and the usage come out as events", async () => {
    const wire = start(
      whole(
        ...anthropic(
          [
            { type: "thinking", thinking: "", signature: "" },
            { type: "thinking_delta", thinking: "hm" },
            { type: "signature_delta", signature: "c2ln" }
          ],
          text("hel", "lo"),
          toolUse("t1", "a", '{"path":', ' "x"}')
        ),
        ...anthropicEnd("tool_use", { input_tokens: 100, cache_read_input_tokens: 30, output_tokens: 10 })
      )
    )
    const events = await reply(settings("anthropic", wire.url))
    expect(textOf(events)).toBe("hello")
    expect(callsOf(events)).toEqual([{ id: "t1", name: "a", arguments: '{"path": "x"}' }])
    const thinking = events.filter((event) => event._tag === "ReasoningDelta")
    expect(thinking.map((event) => event.text).join("")).toBe("hm")
    expect(thinking.at(-1)?.providerData).toEqual({ anthropic: { signature: "c2ln" } })
    expect(finishOf(events)).toEqual({
      _tag: "Finish",
      reason: "tool_calls",
      usage: { inputTokens: 130, outputTokens: 10, cachedTokens: 30 }
    })
    expect(wire.received[0]?.path).toBe("/v1/messages")
    expect(wire.received[0]?.headers.get("x-api-key")).toBe(key)
  })

  test("without cached tokens the usage is what the provider said", async () => {
    const wire = start(whole(...anthropic(text("x")), ...anthropicEnd("end_turn")))
    const usage = finishOf(await reply(settings("anthropic", `${wire.url}/v1/`)))?.usage
    expect(usage).toEqual({ inputTokens: 100, outputTokens: 10, cachedTokens: 0 })
    expect(wire.received[0]?.path).toBe("/v1/messages")
  })

  test("results stand in order with their error flag, thinking goes back unchanged, cache marks close the stable prefix", async () => {
    const wire = start(whole(...anthropic(text("x")), ...anthropicEnd("end_turn")))
    await reply(
      settings("anthropic", wire.url),
      "fake/claude-unheard-of-9",
      request({ messages: history, tools })
    )
    const body = wire.received[0]?.body
    expect(body.max_tokens).toBe(32_000)
    expect(body.system.map((part: { cache_control?: unknown }) => part.cache_control)).toEqual([
      undefined,
      { type: "ephemeral" },
      undefined
    ])
    expect(body.tools.map((tool: { input_schema: unknown }) => tool.input_schema)).toEqual([schema, schema])
    expect(body.tools[1].cache_control).toEqual({ type: "ephemeral" })
    expect(body.messages[1].content[0]).toEqual({ type: "thinking", thinking: "think", signature: "c2ln" })
    const results = body.messages[2].content
    expect(results.map((part: { type: string }) => part.type)).toEqual(["tool_result", "tool_result", "text"])
    expect(results[0].content.map((part: { type: string }) => part.type)).toEqual(["text", "image"])
    expect(results[0].is_error).toBeUndefined()
    expect(results[1]).toMatchObject({ tool_use_id: "t2", content: "broken", is_error: true })
  })

  test("an error result with an image keeps its flag, the image follows", async () => {
    const wire = start(whole(...anthropic(text("x")), ...anthropicEnd("end_turn")))
    const failed = {
      type: "tool_result",
      callId: "t1",
      name: "a",
      status: "timeout",
      content: [
        { type: "text", text: "late" },
        { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" }
      ]
    } as const
    const messages: ReadonlyArray<Message.Message> = [
      Message.userText("go"),
      { role: "assistant", parts: [{ type: "tool_call", id: "t1", name: "a", input: {} }] },
      { role: "user", parts: [failed] }
    ]
    await reply(settings("anthropic", wire.url), "fake/m", request({ messages }))
    const content = wire.received[0]?.body.messages[2].content
    expect(content[0]).toMatchObject({ type: "tool_result", is_error: true, content: "late" })
    expect(content[1]).toMatchObject({ type: "image" })
  })

  test("with tool choice none the tools are still described but must not be called", async () => {
    const wire = start(whole(...anthropic(text("x")), ...anthropicEnd("end_turn")))
    await reply(settings("anthropic", wire.url), "fake/m", request({ tools, toolChoice: "none" }))
    expect(wire.received[0]?.body.tool_choice).toEqual({ type: "none" })
  })

  test("arguments cut by the output limit come as they were written", async () => {
    const wire = start(
      whole(...anthropic(toolUse("t1", "a", '{"path":"unfin')), ...anthropicEnd("max_tokens"))
    )
    const events = await reply(settings("anthropic", wire.url))
    expect(callsOf(events)[0]?.arguments).toBe('{"path":"unfin')
    expect(finishOf(events)?.reason).toBe("length")
  })

  test("blocks of an unknown kind are left out", async () => {
    const wire = start(
      whole(
        ...anthropic(
          text("4"),
          [
            { type: "hologram", data: 1 },
            { type: "hologram_delta", data: 2 }
          ],
          text("2")
        ),
        ...anthropicEnd("end_turn")
      )
    )
    expect(textOf(await reply(settings("anthropic", wire.url)))).toBe("42")
  })

  for (const [name, events] of [
    ["as the first event", []],
    ["after text", anthropic(text("The three "))],
    ["after a whole call", anthropic(toolUse("t1", "a", '{"path":"x"}'))]
  ] as const)
    test(`an error event ${name} makes the reply void`, async () => {
      const wire = start(
        whole(...events, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } })
      )
      const { error } = await failure(settings("anthropic", wire.url))
      expect(error).toMatchObject({ _tag: "ModelError", reason: { _tag: "Overloaded" } })
      expect(error.message).toContain("Overloaded")
      expect(wire.received.length).toBe(1)
    })

  test("a reply that ends without a finish reason is an error", async () => {
    const wire = start(whole(...anthropic(text("The three "))))
    const { error, before } = await failure(settings("anthropic", wire.url))
    expect(error).toMatchObject({ _tag: "ModelError", reason: { _tag: "Transport" } })
    expect(finishOf(before)).toBeUndefined()
  })

  test("what a reply that breaks off said of its tokens is told before its error", async () => {
    const pieces = anthropic(text("half an ans"))
    const wire = start(
      whole(...pieces, { type: "error", error: { type: "overloaded_error", message: "busy" } })
    )
    const { before } = await failure(settings("anthropic", wire.url))
    expect(before[0]).toEqual({
      _tag: "Usage",
      usage: { inputTokens: 100, outputTokens: 1, cachedTokens: 0 }
    })
  })
})
