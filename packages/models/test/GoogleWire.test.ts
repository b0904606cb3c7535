import { afterEach, expect, test } from "bun:test"
import { Message } from "@cow/core"
import * as Redacted from "effect/Redacted"
import type { ModelSettings } from "../src/index.ts"
import { callsOf, endpoints, failure, finishOf, key, reply, request, textOf, tools } from "./Fixture.ts"
import { type Answer, json, serveBroken, sse } from "./Wire.ts"

const { start, stop } = endpoints()
afterEach(stop)

const settings = (url: string): ModelSettings => ({
  providers: {},
  environment: { google: { apiKey: Redacted.make(key), baseUrl: `${url}/v1beta` } }
})
const chunk = (parts: ReadonlyArray<object>, more: object = {}): string =>
  JSON.stringify({
    candidates: [{ content: { role: "model", parts }, ...more }],
    usageMetadata: {
      promptTokenCount: 100,
      candidatesTokenCount: 10,
      cachedContentTokenCount: 20,
      totalTokenCount: 110
    }
  })
const whole = (...chunks: ReadonlyArray<string>): Answer => ({ pieces: [sse(...chunks)] })

test("text, a call with its signature and the usage come out; the signature and the error go back", async () => {
  const wire = start(
    whole(
      chunk([{ text: "hel" }]),
      chunk([{ text: "lo" }, { functionCall: { name: "a", args: { path: "x" } }, thoughtSignature: "SIG" }], {
        finishReason: "STOP"
      })
    )
  )
  const events = await reply(settings(wire.url), "google/gemini-3.5-flash", request({ tools }))
  expect(textOf(events)).toBe("hello")
  const [call] = callsOf(events)
  expect([call?.name, JSON.parse(call?.arguments ?? "")]).toEqual(["a", { path: "x" }])
  expect(finishOf(events)).toMatchObject({
    reason: "tool_calls",
    usage: { inputTokens: 100, cachedTokens: 20 }
  })
  const started = events.find((event) => event._tag === "ToolCallStart")
  const providerData = started?._tag === "ToolCallStart" ? started.providerData : undefined
  expect(JSON.stringify(providerData)).toContain("SIG")

  const messages: ReadonlyArray<Message.Message> = [
    Message.userText("go"),
    {
      role: "assistant",
      parts: [
        {
          type: "tool_call",
          id: "c1",
          name: "a",
          input: { path: "x" },
          ...(providerData === undefined ? {} : { providerData })
        }
      ]
    },
    {
      role: "user",
      parts: [
        { type: "tool_result", callId: "c1", name: "a", status: "error", content: [Message.text("broken")] }
      ]
    }
  ]
  await reply(settings(wire.url), "google/gemini-3.5-flash", request({ tools, messages }))
  const contents = wire.received[1]?.body.contents
  expect(contents[1].parts[0].thoughtSignature).toBe("SIG")
  expect(contents[2].parts[0].functionResponse.response).toMatchObject({ error: "broken" })
  expect(wire.received[1]?.headers.get("x-goog-api-key")).toBe(key)
})

test("a wrong key is a refused key though Google calls it a wrong request, and a wait is taken from the body", async () => {
  const info = (code: number, status: string, details: ReadonlyArray<object>) =>
    json(code, { error: { code, status, message: "no", details } })
  const wire = start(
    info(400, "INVALID_ARGUMENT", [{ reason: "API_KEY_INVALID" }]),
    info(429, "RESOURCE_EXHAUSTED", [{ retryDelay: "34s" }])
  )
  expect((await failure(settings(wire.url), "google/m")).error.reason._tag).toBe("Unauthorized")
  expect((await failure(settings(wire.url), "google/m")).error.reason).toMatchObject({
    _tag: "RateLimited",
    retryAfterMillis: 34_000
  })
})

test("a stream without a finish reason is a transport error", async () => {
  const wire = start(whole(chunk([{ text: "hel" }])))
  expect((await failure(settings(wire.url), "google/m")).error.reason._tag).toBe("Transport")
})

test("a connection that drops behind the finish reason has told the whole answer", async () => {
  const wire = await serveBroken(sse(chunk([{ text: "hello" }], { finishReason: "STOP" })), "drop")
  const events = await reply(settings(wire.url), "google/m")
  expect([textOf(events), finishOf(events)?.reason]).toEqual(["hello", "stop"])
  await wire.stop()
})
