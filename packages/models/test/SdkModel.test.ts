import { afterEach, describe, expect, test } from "bun:test"
import { type Model, Models } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { ModelProviders } from "../src/index.ts"
import {
  callsOf,
  endpoints,
  failure,
  finishOf,
  key,
  reply,
  request,
  settings,
  text,
  textOf,
  toolUse
} from "./Fixture.ts"
import { anthropic, anthropicEnd, chat, json, responses, serve, serveBroken, sse } from "./Wire.ts"

const { start, stop } = endpoints()
afterEach(stop)

describe("cancelling", () => {
  for (const [type, pieces] of [
    ["anthropic", [sse(...anthropic(text("so far")))]],
    ["openai-compatible", [sse(chat({ content: "so far" }))]],
    [
      "openai",
      [
        sse(
          ...responses(
            [],
            [
              {
                type: "response.output_item.added",
                output_index: 0,
                item: { type: "message", id: "m1", role: "assistant", status: "in_progress", content: [] }
              },
              {
                type: "response.output_text.delta",
                item_id: "m1",
                output_index: 0,
                content_index: 0,
                delta: "so far"
              }
            ]
          ).slice(0, -1)
        )
      ]
    ]
  ] as const)
    test(`interrupting a stream of ${type} aborts its request`, async () => {
      const wire = start({ pieces, socket: "open" })
      const seen = Promise.withResolvers<Model.ModelEvent>()
      const run = Effect.gen(function* () {
        const model = yield* (yield* Models).get("fake/m")
        const fiber = yield* Effect.forkChild(
          Stream.runForEach(model.stream(request()), (event) =>
            Effect.sync(() => (event._tag === "Usage" ? undefined : seen.resolve(event)))
          )
        )
        const event = yield* Effect.promise(() => seen.promise)
        yield* Fiber.interrupt(fiber)
        return event
      }).pipe(
        Effect.provide(
          ModelProviders.layer(settings(type, `${wire.url}/v1`)).pipe(Layer.provideMerge(Models.layer))
        )
      )
      expect(await Effect.runPromise(run)).toMatchObject({ _tag: "TextDelta", text: "so far" })
      await wire.letGo
    })

  test("interrupting before the answer begins aborts the request", async () => {
    const wire = start({ pieces: [], socket: "open" })
    const run = Effect.gen(function* () {
      const model = yield* (yield* Models).get("fake/m")
      const fiber = yield* Effect.forkChild(Stream.runDrain(model.stream(request())))
      yield* Effect.promise(() => wire.arrived)
      yield* Fiber.interrupt(fiber)
    }).pipe(
      Effect.provide(
        ModelProviders.layer(settings("anthropic", wire.url)).pipe(Layer.provideMerge(Models.layer))
      )
    )
    await Effect.runPromise(run)
    await wire.letGo
  })
})

test("the key is nowhere in an error, even where the provider repeats it", async () => {
  const wire = start(json(401, { error: { type: "authentication_error", message: `bad key ${key}` } }))
  for (const type of ["anthropic", "openai-compatible", "openai"] as const) {
    const { error } = await failure(settings(type, `${wire.url}/v1`))
    expect(error).toMatchObject({ reason: { _tag: "Unauthorized" }, status: 401 })
    expect(JSON.stringify(error) + error.message).not.toContain(key)
    expect(error.message).toContain("providers.fake.api_key")
  }
})

test("a server that is not there is a transport error that names the place", async () => {
  const wire = serve({ pieces: [] })
  await wire.stop()
  for (const type of ["anthropic", "openai-compatible", "openai"] as const) {
    const { error } = await failure(settings(type, `${wire.url}/v1`))
    expect(error.reason._tag).toBe("Transport")
    expect(error.message).toContain(wire.url)
  }
})

test("a connection that is reset in the middle is a transport error", async () => {
  for (const [type, piece] of [
    ["anthropic", sse(...anthropic(text("so far")))],
    ["openai-compatible", sse(chat({ content: "so far" }))]
  ] as const) {
    const wire = await serveBroken(piece, "reset")
    const { error, before } = await failure(settings(type, `${wire.url}/v1`))
    expect(error.reason._tag).toBe("Transport")
    expect(finishOf(before)).toBeUndefined()
    await wire.stop()
  }
})

test("a stream cut at any byte is the whole reply or an error, never half of it", async () => {
  const wires = [
    [
      "anthropic",
      sse(...anthropic(text("hel", "lo"), toolUse("t1", "a", '{"path":"x"}')), ...anthropicEnd("tool_use"))
    ],
    [
      "openai-compatible",
      sse(
        chat({ content: "hello" }),
        chat({ tool_calls: [{ index: 0, id: "t1", function: { name: "a", arguments: '{"path":"x"}' } }] }),
        chat({}, "tool_calls"),
        "[DONE]"
      )
    ]
  ] as const
  for (const [type, stream] of wires)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: stream.length }), async (size) => {
        const wire = serve({ pieces: [stream.slice(0, size)] })
        const outcome = await reply(settings(type, `${wire.url}/v1`)).then(
          (events) => ({ text: textOf(events), calls: callsOf(events), reason: finishOf(events)?.reason }),
          (error) => String(error.reason?._tag)
        )
        await wire.stop()
        const complete = {
          text: "hello",
          calls: [{ id: "t1", name: "a", arguments: '{"path":"x"}' }],
          reason: "tool_calls" as const
        }
        if (typeof outcome === "string") expect(outcome).toBe("Transport")
        else expect(outcome).toEqual(complete)
        if (size < stream.length * 0.8) expect(outcome).toBe("Transport")
        if (size === stream.length) expect(outcome).toEqual(complete)
      }),
      { numRuns: 40, examples: [[0], [stream.length]] }
    )
})
