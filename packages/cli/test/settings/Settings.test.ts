import { describe, expect, test } from "bun:test"
import { Jsonc } from "@cow/core"
import * as Result from "effect/Result"
import * as Settings from "../../src/settings/Settings.ts"

const decode = (value: unknown) => Settings.decode(Result.getOrThrow(Jsonc.parse(JSON.stringify(value))))
const fault = (value: unknown) => Result.getOrThrow(Result.flip(decode(value)))

describe("Settings", () => {
  test("with nothing given every setting has its default", () => {
    expect(Settings.merge()).toEqual(Settings.defaults)
    expect(Settings.defaults).toMatchObject({
      agent_max_steps: 30,
      agent_max_context_tokens: 64_000,
      agent_permission_mode: "workspace-write",
      mcp_tool_retrieval_enabled: false,
      mcp_tool_retrieval_threshold: 20,
      mcp_tool_retrieval_top_k: 10,
      mcp_connect_timeout_seconds: 90,
      mcp_read_timeout_seconds: 20,
      mcp_write_timeout_seconds: 60
    })
  })

  test("later files count before earlier ones, providers one by one", () => {
    const user = {
      model: "a/b",
      agent_max_steps: 3,
      providers: { one: { type: "openai" }, two: { type: "openai" } }
    } as const
    const project = { agent_max_steps: 4, providers: { two: { type: "anthropic" } } } as const
    expect(Settings.merge(user, project)).toMatchObject({
      model: "a/b",
      agent_max_steps: 4,
      providers: { one: { type: "openai" }, two: { type: "anthropic" } }
    })
  })

  test("a value of the wrong kind is a fault that names the key and the value", () => {
    const wrong: ReadonlyArray<readonly [string, unknown]> = [
      ["agent_max_steps", "many"],
      ["agent_max_steps", 0],
      ["agent_max_steps", 1.5],
      ["mcp_tool_retrieval_enabled", "yes"],
      ["mcp_tool_retrieval_top_k", -1],
      ["mcp_connect_timeout_seconds", 0],
      ["model", ""],
      ["plugins", "one"],
      ["mcp_servers", 3]
    ]
    for (const [key, value] of wrong) {
      const { path, message } = fault({ [key]: value })
      expect(path[0]).toBe(key)
      expect(message).toContain(JSON.stringify(value))
    }
    expect(fault({ providers: { fake: { type: "opneai" } } }).path).toEqual(["providers", "fake", "type"])
  })

  test("a fault in a provider's key does not repeat the key", () => {
    const { path, message } = fault({ providers: { fake: { type: "openai", api_key: { secret: "sk-1" } } } })
    expect(path).toEqual(["providers", "fake", "api_key"])
    expect(message).not.toContain("sk-1")
  })

  test("an unknown key is a warning with the near name, and so is one inside a provider", () => {
    const { given, warnings } = Result.getOrThrow(
      decode({ modle: "offline/cow", providers: { fake: { type: "openai", base_ulr: "x" } } })
    )
    expect(given).toEqual({ providers: { fake: { type: "openai" } } } as never)
    expect(warnings.map(({ message }) => message).join("\n")).toContain('did you mean "model"?')
    expect(warnings.map(({ message }) => message).join("\n")).toContain('did you mean "base_url"?')
  })

  test("an unknown permission word is no fault: it acts as read-only later", () => {
    expect(Result.getOrThrow(decode({ agent_permission_mode: "yolo" })).given.agent_permission_mode).toBe(
      "yolo"
    )
  })

  test("a setting that nothing reads is a warning, unless it asks for nothing", () => {
    const warned = (value: object) =>
      Result.getOrThrow(decode(value)).warnings.map(({ message, path }) => [path[0], message])
    for (const [key, value] of [
      ["plugins", ["./mine.ts"]],
      ["embedding_provider", "openai"],
      ["embedding_model", "x"],
      ["embedding_dimensions", 3]
    ] as const)
      expect(warned({ [key]: value })).toEqual([[key, `"${key}" is not in this version and has no effect`]])
    expect(warned({ plugins: [], mcp_tool_retrieval_enabled: false, agent_max_steps: 3 })).toEqual([])
  })

  test("the settings of choosing among tools are for the doctor to speak of", () => {
    for (const [key, value] of [
      ["mcp_tool_retrieval_enabled", true],
      ["mcp_tool_retrieval_threshold", 3],
      ["mcp_tool_retrieval_top_k", 3]
    ] as const) {
      const { asides, warnings } = Result.getOrThrow(decode({ [key]: value }))
      expect(warnings).toEqual([])
      expect(asides).toEqual([
        { path: [key], message: `"${key}" has no effect: this version sends every tool in every step` }
      ])
    }
  })

  test("a file that holds no object is a fault", () => {
    expect(fault([1]).message).toContain("object")
  })
})
