import { describe, expect, test } from "bun:test"
import { Models } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { KnownProviders, ModelProviders, type ModelSettings } from "../src/index.ts"
import { failure, key, reply, textOf } from "./Fixture.ts"
import { anthropic, anthropicEnd, serve, sse } from "./Wire.ts"

const none: ModelSettings = { providers: {}, environment: {} }
const secret = Redacted.make(key)
const lookup = (settings: ModelSettings, id: string) =>
  Effect.runPromise(
    Effect.gen(function* () {
      return yield* Effect.result((yield* Models).get(id))
    }).pipe(Effect.provide(ModelProviders.layer(settings).pipe(Layer.provideMerge(Models.layer))))
  )

test("every built-in provider gives a model by its name", async () => {
  expect([...KnownProviders.names].sort()).toEqual(
    "anthropic openai google deepseek qwen glm kimi minimax doubao openrouter ollama offline"
      .split(" ")
      .sort()
  )
  for (const name of KnownProviders.names.filter((name) => name !== "offline")) {
    const found = await lookup(none, `${name}/some/model`)
    expect(Result.isSuccess(found) && found.success.id).toBe(`${name}/some/model`)
  }
  const cow = await lookup(none, "offline/cow")
  expect(Result.isSuccess(cow) && cow.success.id).toBe("offline/cow")
})

test("a missing key is known when the stream starts, and the line names the variable and the config key", async () => {
  for (const [name, { keyVariables }] of KnownProviders.table) {
    const variable = keyVariables[0]
    if (variable === undefined) continue
    const { error } = await failure(none, `${name}/m`)
    expect(error.reason._tag).toBe("Unauthorized")
    expect(error.message).toContain(variable)
    expect(error.message).toContain(`providers.${name}.api_key`)
  }
})

test("an entry of the user takes the place of a built-in provider and keeps the key of the environment", async () => {
  const wire = serve({
    pieces: [
      sse(
        ...anthropic([
          { type: "text", text: "" },
          { type: "text_delta", text: "mine" }
        ]),
        ...anthropicEnd("end_turn")
      )
    ]
  })
  const settings: ModelSettings = {
    providers: { anthropic: { type: "anthropic", baseUrl: `${wire.url}/`, headers: { "x-team": "cows" } } },
    environment: { anthropic: { apiKey: secret, baseUrl: "http://127.0.0.1:1" } }
  }
  expect(textOf(await reply(settings, "anthropic/claude-sonnet-5"))).toBe("mine")
  expect(wire.received[0]?.headers.get("x-api-key")).toBe(key)
  expect(wire.received[0]?.headers.get("x-team")).toBe("cows")
  await wire.stop()
})

describe("where a provider is asked", () => {
  const target = (settings: ModelSettings, name: string) =>
    Result.getOrThrow(ModelProviders.target(settings, name))

  test("the base URL of the environment counts for the built-in provider", () => {
    expect(
      target({ ...none, environment: { anthropic: { baseUrl: "http://proxy.example" } } }, "anthropic")
        .baseUrl
    ).toBe("http://proxy.example/v1")
    expect(
      target({ ...none, environment: { openai: { baseUrl: "http://proxy.example/v1/" } } }, "openai").baseUrl
    ).toBe("http://proxy.example/v1")
    expect(target(none, "anthropic").baseUrl).toBe("https://api.anthropic.com/v1")
  })

  test("an empty key is no key, and a line end is no part of one", () => {
    const key = (value: string) =>
      target({ ...none, environment: { openai: { apiKey: Redacted.make(value) } } }, "openai").apiKey
    expect(key(" ")).toBeUndefined()
    expect(Redacted.value(key("sk-1\n") as Redacted.Redacted<string>)).toBe("sk-1")
  })

  test("an own openai-compatible server needs a base URL and no key", () => {
    expect(
      target(
        { ...none, providers: { lab: { type: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1" } } },
        "lab"
      ).needsKey
    ).toBe(false)
    const missing = ModelProviders.target(
      { ...none, providers: { lab: { type: "openai-compatible" } } },
      "lab"
    )
    expect(Result.isFailure(missing) && missing.failure).toContain("providers.lab")
    expect(target({ ...none, providers: { lab: { type: "anthropic" } } }, "lab").needsKey).toBe(true)
  })

  test("a base URL that is none is refused with its place", async () => {
    const found = await lookup(
      { ...none, providers: { lab: { type: "openai", baseUrl: "not a url" } } },
      "lab/m"
    )
    expect(Result.isFailure(found) && found.failure.message).toContain("providers.lab.base_url")
  })

  test("OLLAMA_HOST may be a host, a port or a URL", () => {
    const url = KnownProviders.ollamaBaseUrl
    expect(url(undefined)).toBe("http://127.0.0.1:11434/v1")
    expect(url("box")).toBe("http://box:11434/v1")
    expect(url("0.0.0.0:9")).toBe("http://127.0.0.1:9/v1")
    expect(url(":9")).toBe("http://127.0.0.1:9/v1")
    expect(url("https://box.example/")).toBe("https://box.example/v1")
  })
})
