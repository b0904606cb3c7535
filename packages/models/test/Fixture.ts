/** What the tests of this package share: a layer over one endpoint, a request, and running a stream to its end. */
import { expect } from "bun:test"
import { Message, type Model, Models } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { ModelProviders, type ModelSettings, type ProviderEntry } from "../src/index.ts"
import { type Answer, serve, sse, type Wire } from "./Wire.ts"

export const key = "sk-secret-0123456789"

export const settings = (type: ProviderEntry["type"], baseUrl: string): ModelSettings => ({
  providers: { fake: { type, baseUrl, apiKey: Redacted.make(key) } },
  environment: {}
})

export const request = (more: Partial<Model.ModelRequest> = {}): Model.ModelRequest => ({
  system: [
    { text: "stable one", stable: true },
    { text: "stable two", stable: true },
    { text: "today", stable: false }
  ],
  messages: [Message.userText("hi")],
  tools: [],
  toolChoice: "auto",
  ...more
})

const withModel = <A, E>(
  given: ModelSettings,
  id: string,
  use: (model: Model.Model) => Effect.Effect<A, E>
) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const models = yield* Models
      return yield* use(yield* models.get(id))
    }).pipe(Effect.provide(ModelProviders.layer(given).pipe(Layer.provideMerge(Models.layer))))
  )

/** All events of one reply. */
export const reply = (given: ModelSettings, id = "fake/test-model", asked = request()) =>
  withModel(given, id, (model) => Stream.runCollect(model.stream(asked)))

/** The error of a reply, and the events before it. */
export const failure = (given: ModelSettings, id = "fake/test-model", asked = request()) =>
  withModel(given, id, (model) =>
    Effect.gen(function* () {
      const before: Array<Model.ModelEvent> = []
      const error = yield* Effect.flip(
        Stream.runForEach(model.stream(asked), (event) => Effect.sync(() => before.push(event)))
      )
      return { error, before }
    })
  )

export const textOf = (events: Iterable<Model.ModelEvent>): string =>
  [...events].map((event) => (event._tag === "TextDelta" ? event.text : "")).join("")

/** Calls with their arguments as they were written. */
export const callsOf = (events: Iterable<Model.ModelEvent>) => {
  const calls = new Map<string, { id: string; name: string; arguments: string }>()
  for (const event of events) {
    if (event._tag === "ToolCallStart")
      calls.set(event.block, { id: event.id, name: event.name, arguments: "" })
    const call = event._tag === "ToolCallDelta" ? calls.get(event.block) : undefined
    if (call !== undefined && event._tag === "ToolCallDelta") call.arguments += event.arguments
  }
  return [...calls.values()]
}

export const finishOf = (events: Iterable<Model.ModelEvent>) =>
  [...events].find((event): event is Extract<Model.ModelEvent, { _tag: "Finish" }> => event._tag === "Finish")

export const text = (...parts: ReadonlyArray<string>) => [
  { type: "text", text: "" },
  ...parts.map((text) => ({ type: "text_delta", text }))
]
export const toolUse = (id: string, name: string, ...parts: ReadonlyArray<string>) => [
  { type: "tool_use", id, name, input: {} },
  ...parts.map((partial_json) => ({ type: "input_json_delta", partial_json }))
]
export const whole = (...events: ReadonlyArray<object | string>): Answer => ({ pieces: [sse(...events)] })
export const schema = {
  type: "object",
  properties: { path: { type: "string", minLength: 1 } },
  required: ["path"],
  $comment: "kept"
}
export const tools = [
  { name: "a", description: "first", inputSchema: schema },
  { name: "b", description: "second", inputSchema: schema }
]
export const history: ReadonlyArray<Message.Message> = [
  Message.userText("go"),
  {
    role: "assistant",
    parts: [
      { type: "reasoning", text: "think", providerData: { anthropic: { signature: "c2ln" } } },
      { type: "text", text: "calling" },
      { type: "tool_call", id: "t1", name: "a", input: { path: "x" } },
      { type: "tool_call", id: "t2", name: "b", input: { path: "y" } }
    ]
  },
  {
    role: "user",
    parts: [
      {
        type: "tool_result",
        callId: "t1",
        name: "a",
        status: "ok",
        content: [
          { type: "text", text: "one" },
          { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" }
        ]
      },
      {
        type: "tool_result",
        callId: "t2",
        name: "b",
        status: "error",
        content: [{ type: "text", text: "broken" }]
      },
      { type: "text", text: "and now?" }
    ]
  }
]

/** Endpoints that end with the test, which fails if anything was rejected and not handled. */
export const endpoints = () => {
  const open: Array<Wire> = []
  const rejections: Array<unknown> = []
  process.on("unhandledRejection", (reason) => rejections.push(reason))
  const start = (...answers: ReadonlyArray<Answer>): Wire => {
    const wire = serve(...answers)
    open.push(wire)
    return wire
  }
  const stop = async (): Promise<void> => {
    for (const wire of open.splice(0)) await wire.stop()
    expect(rejections.splice(0)).toEqual([])
  }
  return { start, stop }
}
