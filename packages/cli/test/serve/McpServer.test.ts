import { describe, expect, setDefaultTimeout, test } from "bun:test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as McpServer from "../../src/serve/McpServer.ts"
import { Cow } from "../support/Cow.ts"

setDefaultTimeout(30_000)

const tool = { name: "t", description: "d", inputSchema: { type: "object" }, readOnly: true }
const textResult = (text: string): McpServer.ServedResult => ({
  content: [{ type: "text", text }],
  structured: null,
  isError: false
})

/** What is sent for these lines, when all calls have ended. */
const talk = (lines: ReadonlyArray<unknown>, offer: Partial<McpServer.Offer> = {}) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const sent: Array<Record<string, unknown>> = []
        const server = yield* McpServer.make(
          { tools: Effect.succeed([tool]), call: () => Effect.succeed(textResult("x")), ...offer },
          (line) => Effect.sync(() => void sent.push(JSON.parse(line)))
        )
        for (const line of lines)
          yield* server.receive(
            typeof line === "string" ? line : JSON.stringify({ jsonrpc: "2.0", ...(line as object) })
          )
        yield* server.idle
        yield* server.announce
        return sent
      })
    )
  )
const call = (id: number | string, more: object = {}) => ({
  id,
  method: "tools/call",
  params: { name: "t", ...more }
})
const codes = (sent: ReadonlyArray<Record<string, unknown>>) =>
  sent.map(({ error, id }) => [id, (error as { code?: number } | undefined)?.code])

describe("Cow as an MCP server", () => {
  test("speaks the revision that is asked for, or its newest", async () => {
    const [old, unknown] = await talk(
      ["2024-11-05", "1999-01-01"].map((protocolVersion, id) => ({
        id,
        method: "initialize",
        params: { protocolVersion }
      }))
    )
    expect(old?.result).toMatchObject({ protocolVersion: "2024-11-05" })
    expect(unknown?.result).toMatchObject({ protocolVersion: "2025-11-25" })
  })

  test("answers each line that asks for something, and no other", async () => {
    const sent = await talk([
      "",
      "no json",
      "[]",
      { id: 1, method: "ping" },
      { method: "notifications/initialized" },
      { id: 9, result: {} },
      { id: 2, method: "what" },
      { id: null, method: "ping" }
    ])
    expect(codes(sent)).toEqual([
      [null, -32700],
      [null, -32600],
      [1, undefined],
      [2, -32601],
      [null, -32600]
    ])
  })

  test("tells what a call gave: text, images, structure, error", async () => {
    const result: McpServer.ServedResult = {
      content: [
        { type: "text", text: "a" },
        { type: "image", mediaType: "image/png", data: "AA==" }
      ],
      structured: { n: 1 },
      isError: true
    }
    const [answer] = await talk([call(1)], { call: () => Effect.succeed(result) })
    expect(answer?.result).toEqual({
      content: [
        { type: "text", text: "a" },
        { type: "image", mimeType: "image/png", data: "AA==" }
      ],
      structuredContent: { n: 1 },
      isError: true
    })
  })

  test("refuses a tool it has not, and arguments that are no object", async () => {
    const sent = await talk([call(1, { name: "no" }), call(2, { name: 5 }), call("three", { arguments: [] })])
    expect(codes(sent)).toEqual([
      [1, -32602],
      [2, -32602],
      ["three", -32602]
    ])
  })

  test("runs calls beside one another, and ends the one that is cancelled without an answer", async () => {
    const gate = Deferred.makeUnsafe<void>()
    const sent = await talk(
      [
        call(1, { arguments: { wait: true } }),
        call(2, { arguments: { for: "ever" } }),
        { method: "notifications/cancelled", params: { requestId: 2 } },
        call(3)
      ],
      {
        call: (_, { for: forever, wait }) => {
          if (forever !== undefined) return Effect.never
          if (wait === true) return Effect.as(Deferred.await(gate), textResult("first"))
          return Effect.as(Deferred.succeed(gate, undefined), textResult("third"))
        }
      }
    )
    // The first could only end because the third was not kept waiting.
    expect(new Set(sent.map(({ id }) => id))).toEqual(new Set([1, 3]))
  })

  test("says of a bug only that there is one", async () => {
    const [answer] = await talk([call(1)], { call: () => Effect.die(new Error("at /home/me/secret")) })
    expect(answer?.error).toEqual({ code: -32603, message: "internal error" })
  })

  test("announces a changed list to whoever has greeted it", async () => {
    expect(await talk([])).toEqual([])
    const sent = await talk([{ id: 1, method: "initialize", params: {} }])
    expect(sent.at(-1)).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
  })
})

test("cow offers its own tools to cow: it starts no server of its own, and leaves no process", async () => {
  using cow = new Cow()
  const [command, main] = cow.command
  cow.write(
    "cow-home/mcp.json",
    JSON.stringify({
      mcpServers: {
        me: {
          command,
          args: [main, "mcp", "serve", "--workspace", cow.workspace],
          env: { COW_HOME: cow.home, OLLAMA_HOST: "127.0.0.1:9" },
          allowed_persona_ids: ["default"]
        }
      }
    })
  )
  cow.write("work/note.txt", "from inside\n")
  const tested = JSON.parse((await cow.run(["mcp", "test", "me", "--json"])).stdout)
  expect([tested.ok, tested.error]).toEqual([true, null])
  const names = tested.tools.map((one: { wire_name: string }) => one.wire_name)
  expect(names).toContain("read")
  expect(names.filter((name: string) => name.startsWith("mcp__"))).toEqual([])
  const input = JSON.stringify({ path: "note.txt" })
  const called = await cow.run(["tools", "call", "mcp__me__read", "--input", input, "--json"])
  expect(JSON.parse(called.stdout)).toMatchObject({ status: "ok" })
  expect(called.stdout).toContain("from inside")
})

describe("cow mcp import", () => {
  const servers = async (cow: Cow) => {
    const { stdout } = await cow.run(["mcp", "list", "--json", "--mcp-wait", "0"])
    return JSON.parse(stdout).servers.map((one: { name: string; allowed_persona_ids: Array<string> }) => [
      one.name,
      one.allowed_persona_ids
    ])
  }

  test("takes over what another program has, once, for the default persona", async () => {
    using cow = new Cow()
    cow.write(".codex/config.toml", '[mcp_servers.one]\ncommand = "true"\nenabled = false\n')
    const first = await cow.run(["mcp", "import", "codex"])
    expect([first.code, first.stdout]).toEqual([0, ""])
    expect(first.stderr).toContain("config.toml: one")
    const again = await cow.run(["mcp", "import", "codex"])
    expect(again.stderr).toContain('there is an MCP server "one" already')
    expect(await servers(cow)).toEqual([["one", ["default"]]])
  })

  test("takes a file of any known form, and names what is wrong with another", async () => {
    using cow = new Cow()
    const gemini = cow.write(
      "work/g.json",
      '{"mcpServers": {"g": {"httpUrl": "http://127.0.0.1:9/"}}, /* mine */}'
    )
    const usual = cow.write("work/m.json", '[{"name": "m", "command": "true", "disabled": true}]')
    const broken = cow.write("work/b.json", '{\n"mcpServers": {')
    expect((await cow.run(["mcp", "import", gemini, "--grant", "*"])).code).toBe(0)
    expect((await cow.run(["mcp", "import", usual])).code).toBe(0)
    const wrong = await cow.run(["mcp", "import", broken])
    expect(wrong.code).toBe(42)
    expect(wrong.stderr).toContain("b.json: line 2")
    expect((await cow.run(["mcp", "import", "nobody"])).code).toBe(2)
    expect(await servers(cow)).toEqual([
      ["g", ["*"]],
      ["m", ["default"]]
    ])
  })
})
