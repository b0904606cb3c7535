import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { DefaultModel, OllamaProbe } from "../src/index.ts"
import { json, serve } from "./Wire.ts"

const all = {
  flag: "a/flag",
  variable: "a/variable",
  project: "a/project",
  user: "a/user",
  keys: new Set(["deepseek", "openai", "anthropic"]),
  ollama: ["llama"]
}

test("the first place that names a model wins", () => {
  const ids: Array<string> = []
  let sources: DefaultModel.DefaultModelSources = all
  for (const next of ["flag", "variable", "project", "user"] as const) {
    ids.push(DefaultModel.choose(sources).id)
    sources = { ...sources, [next]: next === "flag" ? "  " : undefined }
  }
  expect(ids).toEqual(["a/flag", "a/variable", "a/project", "a/user"])
})

test("without a name the keys count in order, then Ollama, then the offline model", () => {
  const choose = (keys: ReadonlyArray<string>, ollama?: ReadonlyArray<string>) =>
    DefaultModel.choose({ keys: new Set(keys), ollama })
  expect(choose(["deepseek", "openai", "anthropic"]).id).toStartWith("anthropic/")
  expect(choose(["deepseek", "openai"], ["llama"]).id).toStartWith("openai/")
  expect(choose(["deepseek"]).id).toStartWith("deepseek/")
  expect(choose([], ["llama", "qwen"]).id).toBe("ollama/llama")
  expect(choose([], [])).toMatchObject({ id: "offline/cow", source: "offline" })
  expect(choose([])).toMatchObject({ id: "offline/cow", source: "offline" })
})

test("an Ollama is asked for its models, and no answer is no Ollama", async () => {
  const answering = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => Response.json({ object: "list", data: [{ id: "llama" }, { id: "qwen" }] })
  })
  expect(
    await Effect.runPromise(OllamaProbe.models(`http://127.0.0.1:${answering.port}/v1`, "5 seconds"))
  ).toEqual(["llama", "qwen"])
  await answering.stop(true)
  expect(
    await Effect.runPromise(OllamaProbe.models(`http://127.0.0.1:${answering.port}/v1`, "5 seconds"))
  ).toBeUndefined()
  const broken = serve(json(500, {}))
  expect(await Effect.runPromise(OllamaProbe.models(`${broken.url}/v1`, "5 seconds"))).toBeUndefined()
  await broken.stop()
})
