// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as they stand in mcp.json
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { ToolManager, ToolResult, ToolServers } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { McpManager } from "../../src/McpManager.ts"
import { call, Home, raw, runTool, settled, tools, until } from "../Fixture.ts"

let home: Home
beforeEach(() => {
  home = new Home()
})
afterEach(() => home.remove())

const textOf = (name: string, input = {}) => Effect.map(call(name, input), ToolResult.textOf)
describe("tools", () => {
  test("carry the six facts, the server's schema, and its own name on the wire", async () => {
    const inputSchema = {
      type: "object",
      properties: { q: { $ref: "#/$defs/Q" } },
      $defs: { Q: { type: "string" } }
    }
    home.write({
      "my server.x": raw({
        tools: [
          { name: "get.it/now", description: "d", inputSchema, annotations: { readOnlyHint: true } },
          { name: "drop", inputSchema, annotations: { destructiveHint: true } },
          { name: "bad", inputSchema: { type: "object", properties: { x: { $ref: "#/$defs/Missing" } } } },
          { name: "worse", inputSchema: { type: "string" } }
        ]
      })
    })
    await home.run(
      Effect.gen(function* () {
        const manager = yield* settled
        const [drop, get] = yield* tools
        expect(get).toMatchObject({
          name: "mcp__my_server_x__get_it_now",
          description: "d",
          inputSchema,
          parallelSafe: true
        })
        expect(get?.spec).toEqual({
          name: "mcp__my_server_x__get_it_now",
          specialist: "mcp_worker",
          tool: "get.it/now",
          requires_confirmation: false,
          mutates_data: false,
          server: "my server.x"
        })
        expect(drop?.spec).toMatchObject({ requires_confirmation: true, mutates_data: true })
        expect(yield* textOf("mcp__my_server_x__get_it_now")).toBe("own:get.it/now")
        expect(yield* manager.leftOutTools).toEqual([
          {
            server: "my server.x",
            tool: "worse",
            reason: 'its input schema is of type "string", not "object"'
          },
          { server: "my server.x", tool: "bad", reason: "its input schema: a reference does not resolve" }
        ])
      })
    )
  })

  test("are read page by page, and a list without end stops", async () => {
    const names = Array.from({ length: 87 }, (_, at) => `t_${at}`)
    home.write({ pages: raw({ tools: names, pages: 40 }), loop: raw({ tools: ["x"], loop: true }) })
    await home.run(
      Effect.gen(function* () {
        const manager = yield* settled
        expect((yield* manager.list).map(({ name, tools }) => [name, tools])).toEqual([
          ["loop", 1],
          ["pages", 87]
        ])
        expect((yield* manager.diagnostics).map(({ path, message }) => [path, message])).toEqual([
          ["server loop", "its tool list does not end (page 3): what was read so far counts"]
        ])
      })
    )
  })

  test("are kept and left out by patterns, and a pattern that matches nothing is named", async () => {
    home.write({
      f: raw(
        { tools: ["get_a", "get_secret", "put_a"] },
        { includeTools: ["get_*", "list_*"], excludeTools: ["*_secret"] }
      )
    })
    await home.run(
      Effect.gen(function* () {
        const manager = yield* settled
        expect((yield* tools).map(({ name }) => name)).toEqual(["mcp__f__get_a"])
        expect((yield* manager.diagnostics).map(({ message }) => message)).toEqual([
          'the pattern "list_*" matches none of its tools'
        ])
      })
    )
  })

  test("that a server adds after the handshake, or announces, are there without a restart", async () => {
    home.write({ late: raw({ tools: ["grow"], late: ["later"] }) })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        const has = (name: string) =>
          Effect.map(tools, (all) => all.some((tool) => tool.name === `mcp__late__${name}`))
        yield* until("later", has("later"))
        const revision = Effect.map(
          Effect.flatMap(ToolManager, (manager) => manager.snapshot),
          (table) => table.revision
        )
        const before = yield* revision
        yield* call("mcp__late__grow")
        yield* until("grown", has("grown"))
        expect(yield* revision).toBe(before + 1)
        const [status] = yield* Effect.flatMap(ToolServers, (servers) => servers.list)
        expect(status?.toolCount).toBe(3)
      })
    )
  })

  test("that are announced two hundred times are listed a few times", async () => {
    home.write({ s: raw({ tools: ["storm"], log: home.log }) })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        yield* call("mcp__s__storm")
        yield* until(
          "the last one",
          Effect.map(tools, (all) => all.some(({ name }) => name === "mcp__s__last"))
        )
        yield* Effect.sleep(500)
        const lists = home.logged().filter(({ event }) => event === "tools/list").length
        expect(lists).toBeGreaterThanOrEqual(2)
        expect(lists).toBeLessThanOrEqual(5)
      })
    )
  })

  test("of a server made with the 1.x SDK work, its own requests are answered", async () => {
    home.write({
      sdk: { command: process.execPath, args: [join(import.meta.dir, "..", "fixtures", "sdk-server.ts")] }
    })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(yield* textOf("mcp__sdk__greet")).toBe("hello")
        expect(JSON.parse((yield* textOf("mcp__sdk__roots")) ?? "")).toEqual([])
        yield* call("mcp__sdk__rename")
        yield* until(
          "the new name",
          Effect.map(tools, (all) => all.some(({ name }) => name === "mcp__sdk__greet2"))
        )
        expect((yield* tools).some(({ name }) => name === "mcp__sdk__greet")).toBe(false)
      })
    )
  })
})

describe("calls", () => {
  test("end as what happened: ok, error, refused, timed out with the exact text", async () => {
    home.write({
      s: raw({ tools: ["echo", "fail", "refuse", "never", "cut", "big"], log: home.log }, { timeout: 0.5 })
    })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(yield* call("mcp__s__fail")).toEqual(ToolResult.failed("it broke"))
        expect(yield* call("mcp__s__refuse")).toEqual(ToolResult.failed('bad args {"at":"x"}'))
        expect(yield* call("mcp__s__never")).toEqual(
          ToolResult.timeout('{"status":"timeout","error":"MCP tool timed out after 0.5s"}')
        )
        yield* until(
          "the cancelling",
          Effect.sync(() => home.logged().some(({ event }) => event === "notifications/cancelled"))
        )
        expect(yield* textOf("mcp__s__echo", { text: "next" })).toBe("next")
        expect(yield* textOf("mcp__s__cut")).toBe("汉🚀字")
      })
    )
  })

  test("of eleven megabytes come whole, and the server stays", async () => {
    home.write({ s: raw({ tools: ["big", "pid"] }) })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        const pid = yield* textOf("mcp__s__pid")
        expect(yield* textOf("mcp__s__big", { times: 1_400_000 })).toBe("汉🚀x".repeat(1_400_000))
        expect(yield* textOf("mcp__s__pid")).toBe(pid)
      })
    )
  })

  test("of more than fifty megabytes come whole, and a neighbour answers in the meantime", async () => {
    home.write({ s: raw({ tools: ["big"] }), n: raw({ tools: ["echo"] }) })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        const times = 7_000_000
        const big = yield* Effect.forkChild(textOf("mcp__s__big", { times }))
        const waits: Array<number> = []
        while (big.pollUnsafe() === undefined) {
          const began = performance.now()
          expect(yield* textOf("mcp__n__echo", { text: "here" })).toBe("here")
          waits.push(performance.now() - began)
        }
        const text = yield* Fiber.join(big)
        expect(text.length).toBe(4 * times)
        expect(text.slice(-4)).toBe("汉🚀x")
        expect(waits.length).toBeGreaterThan(3)
        expect(Math.max(...waits)).toBeLessThan(15_000)
      })
    )
  }, 30_000)

  test("of two agents on one server, interleaved, each get their own answer from one process", async () => {
    home.write({ s: raw({ tools: ["echo", "pid"], log: home.log }) })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        const agent = (letter: string) =>
          Effect.forEach(
            Array.from({ length: 100 }, (_, at) => `${letter}${at}`),
            (text) => Effect.map(textOf("mcp__s__echo", { text }), (answer) => answer === text),
            { concurrency: 10 }
          )
        const [left, right] = yield* Effect.all([agent("a"), agent("b")], { concurrency: 2 })
        expect([...left, ...right].filter((isRight) => isRight).length).toBe(200)
        expect(home.logged().filter(({ event }) => event === "start").length).toBe(1)
      })
    )
  })

  test("that are interrupted are cancelled on the wire, the others go on", async () => {
    home.write({ s: raw({ tools: ["never", "echo"], log: home.log }) })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        const fiber = yield* Effect.forkChild(call("mcp__s__never"))
        yield* until(
          "it is sent",
          Effect.sync(() => home.logged().some(({ event }) => event === "tools/call"))
        )
        yield* Fiber.interrupt(fiber)
        yield* until(
          "it is cancelled",
          Effect.sync(() => home.logged().some(({ event }) => event === "notifications/cancelled"))
        )
        const texts = Array.from({ length: 100 }, (_, at) => `n${at}`)
        const answers = yield* Effect.forEach(texts, (text) => textOf("mcp__s__echo", { text }), {
          concurrency: 20
        })
        expect(answers).toEqual(texts)
      })
    )
  })

  for (const [tool, reason] of [
    ["crash", "exited with code 7"],
    ["closeout", "closed its standard output"],
    ["endless", "sent a line that is too long (over 67108864 bytes without a line end)"]
  ] as const)
    test(`to a server that ${reason.split(" (")[0]} end at once, and it is started again`, async () => {
      home.write({
        weak: raw({ tools: ["crash", "closeout", "endless", "pid"], grandchild: tool === "crash" }),
        ok: raw({ tools: ["echo"] })
      })
      await home.run(
        Effect.gen(function* () {
          const manager = yield* settled
          const held = (yield* tools).find(({ name }) => name === "mcp__weak__pid")
          const before = yield* textOf("mcp__weak__pid")
          const began = performance.now()
          expect(yield* call(`mcp__weak__${tool}`)).toEqual(ToolResult.failed(`MCP server "weak" ${reason}`))
          if (tool !== "endless") expect(performance.now() - began).toBeLessThan(1000)
          expect((yield* manager.get("weak")).status).toBe("failed")
          const refused = held === undefined ? undefined : yield* runTool(held)
          expect(refused).toEqual(
            ToolResult.failed(`MCP server "weak" is not ready: it is failed: it ${reason}`)
          )
          expect(yield* manager.waitSettled(8, ["weak"])).toEqual([])
          // What was held from the older table finds the new process.
          const after = held === undefined ? "" : ToolResult.textOf(yield* runTool(held))
          expect(after).toMatch(/^\d+$/)
          expect(after).not.toBe(before)
          expect(yield* textOf("mcp__ok__echo", { text: "here" })).toBe("here")
        })
      )
    }, 20_000)

  test("to a server whose states change are told as they change", async () => {
    home.write({ weak: raw({ tools: ["crash"] }) })
    await home.run(
      Effect.gen(function* () {
        const servers = yield* ToolServers
        const manager = yield* McpManager
        const seen: Array<string> = []
        yield* servers.changes.pipe(
          Stream.runForEach(({ state, toolCount }) =>
            Effect.sync(() => void seen.push(`${state} ${toolCount}`))
          ),
          Effect.forkChild
        )
        yield* Effect.sleep(20)
        yield* manager.waitSettled(8, ["weak"])
        yield* call("mcp__weak__crash")
        yield* manager.waitSettled(8, ["weak"])
        yield* Effect.sleep(20)
        expect(seen).toEqual(["pending 0", "starting 0", "ready 1", "failed 0", "ready 1"])
      })
    )
  })
})
