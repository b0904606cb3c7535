import { describe, expect, test } from "bun:test"
import { Tool, ToolGate, ToolManager, ToolResult, ToolSelector, type ToolTable } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RetrievalSelector, ToolSearch } from "../src/index.ts"

const tool = (server: string, name: string, description: string): Tool.Tool =>
  Tool.make({
    name: server === "" ? name : `mcp__${server}__${name}`,
    description,
    run: () => Effect.succeed(ToolResult.ok("done")),
    spec: server === "" ? {} : { server, tool: name, specialist: "mcp_worker" }
  })

/** Denies what is called `secret`. */
const gate = Layer.succeed(
  ToolGate,
  ToolGate.each(({ registered }) =>
    Effect.succeed(
      registered.tool.name.includes("secret")
        ? { _tag: "Deny", reason: "not_granted", detail: "", trace: [] }
        : { _tag: "Allow", trace: [] }
    )
  )
)

const run = <A>(body: Effect.Effect<A, never, ToolManager | ToolSearch>) =>
  body.pipe(Effect.provide(ToolSearch.layer), Effect.provide([gate, ToolManager.layer]), Effect.runSync)

const search = (query: string, topK = 10) =>
  Effect.flatMap(ToolSearch, ({ search }) =>
    search({ query, topK, persona: "default", permission: "workspace-write", workspace: "/w" })
  )

const fill = Effect.gen(function* () {
  const manager = yield* ToolManager
  yield* manager.register({ _tag: "Builtin" }, [tool("", "read", "Reads a file")])
  return yield* manager.register({ _tag: "Mcp", server: "fs" }, [
    tool("fs", "read_file", "Reads a file"),
    tool("fs", "secret_file", "Reads a file"),
    tool("fs", "b_file", "Same"),
    tool("fs", "a_file", "Same")
  ])
})

describe("ToolSearch", () => {
  test("ranks what the persona may use, with a server where there is one", () =>
    run(
      Effect.scoped(
        Effect.gen(function* () {
          yield* fill
          const answer = yield* search("read_file")
          expect(answer).toMatchObject({ query: "read_file", mode: "lexical" })
          expect(answer.results[0]).toMatchObject({ name: "mcp__fs__read_file", server: "fs" })
          expect(answer.results.map(({ name }) => name)).not.toContain("mcp__fs__secret_file")
          expect(answer.results.find(({ name }) => name === "read")?.server).toBe("")
        })
      )
    ))

  test("gives as many as asked for, those that may not be used not counted, ties by name", () =>
    run(
      Effect.scoped(
        Effect.gen(function* () {
          yield* fill
          expect((yield* search("same")).results.map(({ name }) => name)).toEqual([
            "mcp__fs__a_file",
            "mcp__fs__b_file"
          ])
          expect((yield* search("file", 3)).results).toHaveLength(3)
          expect((yield* search("zebra")).results).toEqual([])
        })
      )
    ))

  test("a query without a word gives all, by name", () =>
    run(
      Effect.scoped(
        Effect.gen(function* () {
          yield* fill
          const answer = yield* search(" - ")
          expect(answer.mode).toBe("all")
          expect(answer.results.map(({ name }) => name)).toEqual([
            "mcp__fs__a_file",
            "mcp__fs__b_file",
            "mcp__fs__read_file",
            "read"
          ])
        })
      )
    ))

  test("follows the table", () =>
    run(
      Effect.scoped(
        Effect.gen(function* () {
          const registration = yield* fill
          expect((yield* search("zebra")).results).toEqual([])
          yield* registration.replace([tool("fs", "zebra", "")])
          expect((yield* search("zebra")).results.map(({ name }) => name)).toEqual(["mcp__fs__zebra"])
          expect((yield* search("same")).results).toEqual([])
        })
      )
    ))
})

describe("RetrievalSelector", () => {
  const visible = (count: number): ReadonlyArray<ToolTable.RegisteredTool> => [
    { tool: tool("", "read", ""), source: { _tag: "Builtin" } },
    ...Array.from({ length: count }, (_, at) => ({
      tool: tool("s", `m${at}`, ""),
      source: { _tag: "Mcp", server: "s" } as const
    }))
  ]
  const select = (enabled: boolean, count: number) =>
    Effect.flatMap(ToolSelector, ({ select }) =>
      select({
        sessionId: "s",
        messages: [],
        visible: visible(count),
        kept: new Set(),
        contextTokens: 64_000
      })
    ).pipe(Effect.provide(RetrievalSelector.layer({ enabled, threshold: 20, topK: 10 })), Effect.runSync)

  test.each([
    [false, 50, "retrieval is off"],
    [true, 20, "20 MCP tools, no more than the threshold of 20"],
    [true, 21, "all 21 MCP tools are sent; this version does not choose among them"]
  ])("enabled %s with %i MCP tools: all are sent, and the reason says why", (enabled, count, reason) => {
    const selection = select(enabled, count)
    expect(selection).toMatchObject({ mode: "all", reason, chosen: [] })
    expect(selection.names.size).toBe(count + 1)
  })
})
