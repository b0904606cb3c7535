// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as they stand in mcp.json
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Audience, ToolResult, ToolServers } from "@cow/core"
import * as Effect from "effect/Effect"
import { McpManager } from "../src/McpManager.ts"
import { alive, call, Home, raw, settled, tools, until } from "./Fixture.ts"

let home: Home
beforeEach(() => {
  home = new Home()
})
afterEach(() => home.remove())

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
        left_out: [],
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
