import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { ToolResult, ToolServers } from "@cow/core"
import * as Effect from "effect/Effect"
import { McpManager } from "../../src/McpManager.ts"
import * as ServerExtras from "../../src/server/ServerExtras.ts"
import { call, Home, raw, tools, until } from "../Fixture.ts"

let home: Home
beforeEach(() => {
  home = new Home()
})
afterEach(() => home.remove())

const names = Effect.map(tools, (all) => all.map(({ name }) => name))
const offered = (...wanted: ReadonlyArray<string>) =>
  until(
    `the tools ${wanted.join(", ")}`,
    Effect.map(names, (all) =>
      Bun.deepEquals(
        all.filter((name) => /^mcp_[^_]/.test(name)),
        wanted
      )
    )
  )
const said = (name: string, input = {}) => Effect.map(call(name, input), ToolResult.textOf)
const refresh = Effect.flatMap(ToolServers, (servers) => servers.refresh)
const start = Effect.flatMap(McpManager, (manager) => manager.waitSettled(8))

const docs = (more: object = {}, entry: object = {}) =>
  raw(
    {
      tools: ["t"],
      offers: { resources: {} },
      resources: [{ uri: "x:a", name: "a", mimeType: "text/plain", description: "What\n it is" }],
      templates: [{ uriTemplate: "x:{day}", name: "days" }],
      ...more
    },
    entry
  )

describe("what servers offer beside tools", () => {
  test(
    "is listed and read by two tools, which are there while there is something for them",
    () =>
      home.run(
        Effect.gen(function* () {
          home.write({ plain: raw({ tools: ["t"], offers: { resources: {}, prompts: {} } }) })
          yield* start
          yield* Effect.sleep(100)
          yield* offered()
          home.write({
            d: docs(),
            p: raw({
              offers: { prompts: {} },
              prompts: [
                {
                  name: "review",
                  description: "Reviews",
                  arguments: [{ name: "code", required: true }, { name: "tone" }]
                }
              ]
            })
          })
          yield* refresh
          yield* offered("mcp_prompts", "mcp_resources")
          expect(yield* said("mcp_resources")).toBe(
            "Server d:\n- x:a (text/plain) a: What it is\n- x:{day} days"
          )
          expect(yield* said("mcp_resources", { server: "d", uri: "x:b" })).toBe("text of x:b")
          expect(yield* said("mcp_resources", { uri: "x:b" })).toBe("text of x:b")
          expect(yield* call("mcp_resources", { uri: "x:none" })).toEqual(
            ToolResult.failed("no such resource")
          )
          expect(yield* said("mcp_prompts")).toBe("Server p:\n- review(code, tone?): Reviews")
          expect(yield* said("mcp_prompts", { name: "review", arguments: { code: "1" } })).toBe(
            'user:\nreview {"code":"1"}'
          )
          home.write({ d: docs({}, { disabled: true }) })
          yield* refresh
          yield* offered()
        })
      ),
    15_000
  )

  test("is shown to a persona of those servers only that it may use", () =>
    home.run(
      Effect.gen(function* () {
        home.write({ mine: docs(), other: docs({}, { allowed_persona_ids: ["somebody"] }) })
        yield* start
        yield* offered("mcp_resources")
        yield* Effect.sleep(200)
        expect(yield* said("mcp_resources")).toStartWith("Server mine:")
        expect(yield* said("mcp_resources")).not.toContain("other")
        expect(yield* call("mcp_resources", { server: "other", uri: "x:a" })).toEqual(
          ToolResult.failed('No MCP server "other" that you may use has resources.')
        )
        home.write({ mine: docs(), other: docs() })
        yield* refresh
        expect(yield* call("mcp_resources", { uri: "x:a" })).toEqual(
          ToolResult.failed("Say which server: one of mine, other.")
        )
      })
    ))

  test("changes nothing and is no tool of a server", () =>
    home.run(
      Effect.gen(function* () {
        home.write({ mine: docs() })
        yield* start
        yield* offered("mcp_resources")
        const found = (yield* tools).find(({ name }) => name === "mcp_resources")
        expect(found?.spec).toEqual({
          name: "mcp_resources",
          specialist: "general_worker",
          tool: "mcp_resources",
          requires_confirmation: false,
          mutates_data: false,
          server: ""
        })
      })
    ))
})

describe("a list", () => {
  test("is read page by page, and ends where it would begin again", async () => {
    const asked: Array<unknown> = []
    const ask: ServerExtras.Ask<never> = (_, { cursor }) =>
      Effect.sync(() => {
        asked.push(cursor)
        return {
          prompts: [{ name: String(cursor) }, 5],
          nextCursor: cursor === "b" ? "a" : cursor === "a" ? "b" : "a"
        }
      })
    const found = await Effect.runPromise(ServerExtras.list(ask, "prompts/list"))
    expect(asked).toEqual([undefined, "a", "b"])
    expect(found.map(({ name }) => name)).toEqual(["undefined", "a", "b"])
  })
})

test("a resource's content is text, an image, or a note of its size", () => {
  const { content } = ServerExtras.resourceContent({
    contents: [
      { uri: "x:1", text: "one" },
      { uri: "x:2", mimeType: "image/png", blob: "AAAA" },
      { uri: "x:3", mimeType: "application/pdf", blob: "AAAA" }
    ]
  })
  expect(content).toEqual([
    { type: "text", text: "one" },
    { type: "image", mediaType: "image/png", data: "AAAA" },
    { type: "text", text: "[resource x:3 application/pdf, 3 bytes]" }
  ])
})
