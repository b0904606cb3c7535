// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as they stand in mcp.json
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { Audience, ToolManager, ToolResult, ToolServers } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { McpManager } from "../src/McpManager.ts"
import { alive, call, Home, raw, runTool, tools, until } from "./Fixture.ts"

let home: Home
beforeEach(() => {
  home = new Home()
})
afterEach(() => home.remove())

/** Starts, waits until everything has settled. */
const settled = Effect.gen(function* () {
  const manager = yield* McpManager
  yield* manager.waitSettled(8)
  return manager
})
const statuses = Effect.gen(function* () {
  const manager = yield* McpManager
  return Object.fromEntries((yield* manager.list).map(({ name, status }) => [name, status]))
})
const errorOf = (name: string) =>
  Effect.gen(function* () {
    const manager = yield* McpManager
    return (yield* manager.get(name)).error ?? ""
  })
const textOf = (name: string, input = {}) => Effect.map(call(name, input), ToolResult.textOf)

describe("starting", () => {
  test("comes back at once, although a server hangs, and the others are ready in their own time", async () => {
    home.write({ mcpServers: { stuck: raw({ hang: true }), good: raw({ tools: ["echo"] }) } })
    await home.run(
      Effect.gen(function* () {
        const manager = yield* McpManager
        yield* manager.start
        expect((yield* statuses).stuck).not.toBe("failed")
        expect(yield* manager.waitSettled(8, ["good"])).toEqual([])
        expect(yield* statuses).toEqual({ good: "ready", stuck: "starting" })
        expect(yield* textOf("mcp__good__echo", { text: "moo" })).toBe("moo")
      })
    )
  })

  test("tells of each server why it failed, and leaves the good one alone", async () => {
    home.write({
      good: raw({ tools: ["echo", "pid"], junk: true }),
      off: raw({}, { disabled: true }),
      gone: raw({ exit: 3, stderr: "fatal: licence file missing\n" }),
      absent: { command: "no-such-binary-xyz" },
      nowhere: raw({}, { cwd: "no/such/folder" }),
      stuck: raw({ hang: true }, { connect_timeout: 1 }),
      listless: raw({ hangList: true }, { connect_timeout: 1 }),
      unset: raw({}, { env: { KEY: "${NO_SUCH_VAR_MCP}" } }),
      five: 5,
      odd: raw({ protocol: "1999-01-01" })
    })
    await home.run(
      Effect.gen(function* () {
        const manager = yield* settled
        const { good, off, ...rest } = yield* statuses
        expect([good, off]).toEqual(["ready", "disabled"])
        expect(new Set(Object.values(rest))).toEqual(new Set(["failed"]))
        expect(yield* errorOf("gone")).toBe("it exited with code 3: fatal: licence file missing")
        expect(yield* errorOf("absent")).toBe('the program "no-such-binary-xyz" was not found')
        expect(yield* errorOf("nowhere")).toBe(
          `the folder "${home.dir}/no/such/folder" ("cwd") does not exist`
        )
        expect(yield* errorOf("stuck")).toBe("connect timed out after 1s")
        expect(yield* errorOf("listless")).toBe("connect timed out after 1s, waiting for the tool list")
        expect(yield* errorOf("unset")).toBe('the variable NO_SUCH_VAR_MCP in "env.KEY" is not set')
        expect(yield* errorOf("five")).toBe("it is not an object")
        expect(yield* errorOf("odd")).toContain("1999-01-01")
        const [row] = (yield* manager.list).filter(({ name }) => name === "good")
        expect(row).toMatchObject({
          transport: "stdio",
          enabled: true,
          tools: 2,
          error: null,
          protocol: "2025-11-25",
          allowed_persona_ids: ["*"],
          source: "user"
        })
        expect(yield* textOf("mcp__good__pid")).toBe(String(row?.pid))
      })
    )
    expect(readFileSync(join(home.dir, "logs", "mcp-gone.log"), "utf8")).toContain("licence file missing")
  })

  test("ten times at once starts each server once", async () => {
    home.write({ a: raw({ log: home.log }), b: raw({ log: home.log }) })
    await home.run(
      Effect.gen(function* () {
        const manager = yield* McpManager
        yield* Effect.all(
          Array.from({ length: 10 }, () => manager.start),
          { concurrency: "unbounded" }
        )
        yield* settled
      })
    )
    expect(home.logged().filter(({ event }) => event === "start").length).toBe(2)
  })

  test("shows nobody a half-loaded server", async () => {
    home.write({
      c: raw({ tools: Array.from({ length: 50 }, (_, at) => `t${at}`), pages: 7, delayMillis: 50 })
    })
    await home.run(
      Effect.gen(function* () {
        const servers = yield* ToolServers
        const manager = yield* McpManager
        yield* manager.start
        const seen = new Set<string>()
        yield* until(
          "ready",
          Effect.gen(function* () {
            const [status] = yield* servers.list
            const count = (yield* tools).length
            seen.add(`${status?.state === "ready"} ${count}`)
            return status?.state === "ready"
          })
        )
        expect([...seen].filter((one) => !["false 0", "false 50", "true 50"].includes(one))).toEqual([])
        expect(seen.has("true 50")).toBe(true)
      })
    )
  })

  test("without servers does nothing", async () => {
    await home.run(
      Effect.gen(function* () {
        const manager = yield* McpManager
        yield* manager.start
        expect(yield* manager.list).toEqual([])
        expect(yield* manager.waitSettled(8)).toEqual([])
      })
    )
    expect(existsSync(join(home.dir, "logs"))).toBe(false)
  })

  test("leaves servers of a folder that is not trusted alone", async () => {
    const projectServersFile = join(home.dir, ".mcp.json")
    await Bun.write(
      projectServersFile,
      JSON.stringify({ mcpServers: { proj: raw({ log: home.log, tools: ["x"] }) } })
    )
    await home.run(
      Effect.gen(function* () {
        const manager = yield* settled
        expect(yield* statuses).toEqual({ proj: "untrusted" })
        expect(yield* manager.waitSettled(8, ["proj"])).toEqual([
          { name: "proj", status: "untrusted", error: null }
        ])
        expect((yield* manager.test("proj")).ok).toBe(false)
      }),
      { projectServersFile }
    )
    expect(home.logged()).toEqual([])
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(yield* statuses).toEqual({ proj: "ready" })
      }),
      { projectServersFile, projectTrusted: true }
    )
  })

  test("takes mcp_servers of the settings when mcp.json is absent or broken, never both", async () => {
    const configServers = { conf: { command: "c", disabled: true } }
    const names = Effect.map(settled, () => undefined).pipe(Effect.andThen(statuses))
    expect(await home.run(names, { configServers })).toEqual({ conf: "disabled" })
    home.write('{"mcpServers": {')
    const broken = Effect.andThen(
      names,
      Effect.flatMap(McpManager, (manager) => manager.diagnostics)
    )
    expect((await home.run(broken, { configServers }))[0]?.message).toContain("line 1")
    home.write({ user: { command: "c", disabled: true } })
    expect(await home.run(names, { configServers })).toEqual({ user: "disabled" })
  })
})

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
      sdk: { command: process.execPath, args: [join(import.meta.dir, "fixtures", "sdk-server.ts")] }
    })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(yield* textOf("mcp__sdk__greet")).toBe("hello")
        const roots = [{ uri: `file://${home.dir}`, name: "workspace" }]
        expect(JSON.parse((yield* textOf("mcp__sdk__roots")) ?? "")).toEqual(roots)
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

describe("the revision", () => {
  test("is the newest that both know; an odd tool or block costs only itself there too", async () => {
    home.write({
      new: raw({
        modern: true,
        tools: ["odd", { name: "bad", inputSchema: 5 }, { name: "typeless", inputSchema: {} }]
      })
    })
    await home.run(
      Effect.gen(function* () {
        const manager = yield* settled
        expect(yield* manager.get("new")).toMatchObject({ status: "ready", protocol: "2026-07-28", tools: 2 })
        expect(yield* textOf("mcp__new__odd")).toBe(
          '[a content block of the unknown type "hologram"]\nand text'
        )
      })
    )
  })

  test("that is pinned is used, or the server fails naming it", async () => {
    home.write({
      old: raw({}, { protocol: "2024-11-05" }),
      wrong: raw({ protocol: "2025-06-18" }, { protocol: "2025-11-25" }),
      future: raw({}, { protocol: "2026-07-28" })
    })
    await home.run(
      Effect.gen(function* () {
        const manager = yield* settled
        expect(yield* manager.get("old")).toMatchObject({ status: "ready", protocol: "2024-11-05" })
        expect(yield* errorOf("wrong")).toMatch(/2025-11-25.*2025-06-18/)
        expect(yield* errorOf("future")).toContain("2026-07-28")
      })
    )
  })

  test("is asked of a server that dies of the question only once", async () => {
    home.write({ shy: raw({ diesOnProbe: true, tools: ["echo"], log: home.log }) })
    await home.run(
      Effect.gen(function* () {
        const manager = yield* settled
        expect(yield* manager.get("shy")).toMatchObject({ status: "ready", protocol: "2025-11-25" })
        expect(home.logged().filter(({ event }) => event === "server/discover").length).toBe(1)
      })
    )
  })
})

describe("the process of a server", () => {
  test("gets single arguments, the folder, the allowed variables and its own", async () => {
    mkdirSync(join(home.dir, "else where"))
    const given = {
      HOME: "/h",
      PATH: process.env.PATH,
      WORD: "two words",
      MY_API_KEY: "secret",
      HTTPS_PROXY: "p"
    }
    home.write({
      v: raw(
        { tools: ["argv", "cwd", "env"] },
        { cwd: "${WORD:-x}/../else where", env: { MODE: 1, TOKEN: "${WORD}!", FALL: "${NONE:-a b}" } },
        "--note=${WORD}",
        "* ' \""
      )
    })
    mkdirSync(join(home.dir, "two words"))
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(JSON.parse(yield* textOf("mcp__v__argv"))).toEqual(["--note=two words", "* ' \""])
        expect(yield* textOf("mcp__v__cwd")).toBe(realpathSync(join(home.dir, "else where")))
        const env = JSON.parse(yield* textOf("mcp__v__env"))
        expect(env).toMatchObject({
          HOME: "/h",
          HTTPS_PROXY: "p",
          MODE: "1",
          TOKEN: "two words!",
          FALL: "a b"
        })
        for (const name of ["MY_API_KEY", "WORD"]) expect(env[name]).toBeUndefined()
      }),
      { env: given }
    )
  })

  test("ends with its whole group, although it ignores the end of input and TERM and has a child", async () => {
    home.write({
      tough: raw({ ignoreEnd: true, grandchild: true, log: home.log, tools: ["echo"] }),
      stuck: raw({ hang: true, ignoreEnd: true, grandchild: true, log: home.log })
    })
    await home.run(
      Effect.gen(function* () {
        const manager = yield* McpManager
        yield* manager.waitSettled(8, ["tough"])
        yield* until(
          "both have started",
          Effect.sync(() => home.logged().filter((one) => one.event === "grandchild").length === 2)
        )
      })
    )
    const pids = home
      .logged()
      .flatMap((one) => [one.pid, ...(typeof one.child === "number" ? [one.child] : [])])
    expect(new Set(pids).size).toBe(4)
    expect(pids.filter(alive)).toEqual([])
    expect(existsSync(join(home.dir, "run"))).toBe(true)
    expect(existsSync(join(home.dir, "run", `mcp-${process.pid}.json`))).toBe(false)
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
        expect(Math.max(...waits)).toBeLessThan(2000)
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

test("a trial works for a disabled server, publishes nothing and leaves nothing", async () => {
  home.write({
    off: raw({ tools: ["a.b"], log: home.log }, { disabled: true }),
    gone: raw({ exit: 1, stderr: "sorry" }, { disabled: true })
  })
  await home.run(
    Effect.gen(function* () {
      const manager = yield* McpManager
      const report = yield* manager.test("off")
      expect(report).toEqual({
        ok: true,
        server: "off",
        error: null,
        tool_count: 1,
        tools: [
          {
            name: "mcp__off__a_b",
            wire_name: "a.b",
            read_only: true,
            requires_confirmation: false,
            mutates_data: false
          }
        ],
        elapsed_ms: report.elapsed_ms
      })
      expect(yield* tools).toEqual([])
      expect(yield* statuses).toEqual({ gone: "disabled", off: "disabled" })
      expect(yield* manager.test("gone")).toMatchObject({
        ok: false,
        error: "it exited with code 1: sorry",
        tool_count: 0
      })
      expect(home.logged().filter(({ pid }) => alive(pid))).toEqual([])
      const missing = yield* Effect.flip(manager.test("nobody"))
      expect(missing.message).toBe('there is no MCP server "nobody"; configured: gone, off')
    })
  )
})

test("an audience is shown as it is written", async () => {
  home.write({ a: { command: "c", disabled: true, allowed_persona_ids: ["q", "p"] }, b: 5 })
  await home.run(
    Effect.gen(function* () {
      const manager = yield* settled
      expect((yield* manager.list).map((row) => row.allowed_persona_ids)).toEqual([["p", "q"], []])
      const [a] = yield* Effect.flatMap(ToolServers, (servers) => servers.list)
      expect(a?.audience).toEqual(Audience.only(["p", "q"]))
    })
  )
})
