// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as they stand in mcp.json
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Audience, ToolResult, ToolServers } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { McpManager } from "../../src/McpManager.ts"
import { alive, call, Home, raw, tools, until } from "../Fixture.ts"

let home: Home
beforeEach(() => {
  home = new Home()
})
afterEach(() => home.remove())

const one = (more: object = {}, entry: object = {}) =>
  raw({ tools: ["pid", "never"], log: home.log, ...more }, entry)
const refresh = Effect.flatMap(ToolServers, (servers) => servers.refresh)
/** Typed as if each name were there: a missing one fails the comparison it stands in. */
const pidsOf = (entries: ReadonlyArray<readonly [string, string]>) =>
  Object.fromEntries(entries) as Record<"a" | "b" | "c" | "v" | "miss", string>
/** Name → process id of what is ready, or its status. */
const pids = Effect.gen(function* () {
  const manager = yield* McpManager
  yield* manager.waitSettled(8)
  return pidsOf((yield* manager.list).map(({ name, pid, status }) => [name, String(pid ?? status)] as const))
})
const change = (servers: unknown) =>
  Effect.gen(function* () {
    home.write(servers)
    yield* refresh
    return yield* pids
  })
const starts = () => home.logged().filter(({ event }) => event === "start").length

describe("a change of mcp.json", () => {
  test("adds, removes and edits servers, and what is untouched keeps its process", () =>
    home.run(
      Effect.gen(function* () {
        home.write({ a: one(), b: one() })
        const first = yield* pids
        const second = yield* change({ a: one(), b: one({}, { timeout: 5 }), c: one() })
        expect(Object.keys(second)).toEqual(["a", "b", "c"])
        expect(second.a).toBe(first.a)
        expect(second.b).not.toBe(first.b)
        expect(alive(Number(first.b))).toBe(false)
        const third = yield* change({ c: one(), a: one() })
        expect<unknown>(third).toEqual({ a: first.a, c: second.c })
        expect((yield* tools).filter(({ spec }) => spec.server === "b")).toEqual([])
        yield* until(
          "the process of b is gone",
          Effect.sync(() => !alive(Number(second.b)))
        )
        expect<unknown>(yield* change({})).toEqual({})
        yield* until(
          "all are gone",
          Effect.sync(() => ![first.a, second.c].some((pid) => alive(Number(pid))))
        )
      })
    ))

  test("in blanks, comments and order, or none but the time, restarts nothing", () =>
    home.run(
      Effect.gen(function* () {
        home.write({ mcpServers: { a: one(), b: one() } })
        const first = yield* pids
        utimesSync(home.file, 5, 5)
        yield* refresh
        const second = yield* change(
          `// mine\n${JSON.stringify({ mcpServers: { b: one(), a: one() } }, null, 3)}`
        )
        expect<unknown>(second).toEqual(first)
        expect(starts()).toBe(2)
      })
    ))

  test("of who may use it and of its patterns takes effect without a restart", () =>
    home.run(
      Effect.gen(function* () {
        home.write({ a: one() })
        const first = yield* pids
        const second = yield* change({ a: one({}, { allowed_persona_ids: ["p"], excludeTools: ["never"] }) })
        expect<unknown>(second).toEqual(first)
        expect((yield* tools).map(({ name }) => name)).toEqual(["mcp__a__pid"])
        const [status] = yield* Effect.flatMap(ToolServers, (servers) => servers.list)
        expect([status?.audience, status?.toolCount]).toEqual([Audience.only(["p"]), 1])
      })
    ))

  test("switches a server off and on", () =>
    home.run(
      Effect.gen(function* () {
        home.write({ a: one() })
        yield* pids
        expect<unknown>(yield* change({ a: one({}, { disabled: true }) })).toEqual({ a: "disabled" })
        expect(yield* tools).toEqual([])
        expect<unknown>(yield* change({ a: one() })).not.toEqual({ a: "disabled" })
        expect((yield* tools).length).toBe(2)
      })
    ))

  test("that breaks the file leaves the servers as they are, until the next good one", () =>
    home.run(
      Effect.gen(function* () {
        home.write({ a: one() })
        const first = yield* pids
        for (const broken of ['{"mcpServers": {"a": {"comm', "", "7", '{"mcpServers": "x"}']) {
          expect<unknown>(yield* change(broken)).toEqual(first)
          const [fault] = yield* Effect.flatMap(McpManager, (manager) => manager.diagnostics)
          expect(fault?.message).toMatch(/^broken \(.*\): the servers stay as they are$/)
        }
        expect(Object.keys(yield* change({ a: one(), b: one() }))).toEqual(["a", "b"])
        expect((yield* pids).a).toBe(first.a)
        expect(yield* Effect.flatMap(McpManager, (manager) => manager.diagnostics)).toEqual([])
      })
    ))

  test("that takes the file away puts mcp_servers in force; what is equal keeps running", () => {
    const configServers = { a: one(), z: { command: "c", disabled: true } }
    return home.run(
      Effect.gen(function* () {
        home.write({ a: one(), b: one() })
        const first = yield* pids
        rmSync(home.file)
        yield* refresh
        expect<unknown>(yield* pids).toEqual({ a: first.a, z: "disabled" })
      }),
      { configServers }
    )
  })

  test("by rename, of the same size in the same moment, is seen", () =>
    home.run(
      Effect.gen(function* () {
        const at = new Date()
        home.write({ a: one({ note: 1 }) })
        utimesSync(home.file, at, at)
        const first = yield* pids
        writeFileSync(`${home.file}.new`, JSON.stringify({ a: one({ note: 2 }) }))
        utimesSync(`${home.file}.new`, at, at)
        renameSync(`${home.file}.new`, home.file)
        yield* refresh
        expect((yield* pids).a).not.toBe(first.a)
      })
    ))

  test("while a server is still starting ends in the last state with one process", () =>
    home.run(
      Effect.gen(function* () {
        home.write({ b: one({ delayMillis: 300, note: 0 }) })
        const manager = yield* McpManager
        yield* manager.start
        for (let note = 1; note <= 4; note++) {
          yield* Effect.sleep(60)
          home.write({ b: one({ delayMillis: 300, note }) })
          yield* refresh
        }
        const { b } = yield* pids
        expect(
          home
            .logged()
            .filter(({ pid }) => alive(pid))
            .map(({ pid }) => pid)
        ).toContain(Number(b))
        expect(new Set(home.logged().flatMap(({ pid }) => (alive(pid) ? [pid] : []))).size).toBe(1)
      })
    ))

  test("never waits for a server, and a call of one that goes ends", () =>
    home.run(
      Effect.gen(function* () {
        home.write({ b: one({ ignoreEnd: true }) })
        yield* pids
        const open = yield* Effect.forkChild(call("mcp__b__never"))
        yield* until(
          "it is sent",
          Effect.sync(() => home.logged().some(({ event }) => event === "tools/call"))
        )
        const began = performance.now()
        home.write({ c: one({ hang: true }) })
        yield* refresh
        expect(performance.now() - began).toBeLessThan(200)
        expect(yield* Fiber.join(open)).toEqual(
          ToolResult.cancelled('MCP server "b" was stopped while it answered: it was removed')
        )
      })
    ))
})

describe("a change that nobody asks about", () => {
  const settledAs = (expected: object) =>
    until(
      "the change is seen",
      Effect.map(pids, (now) => Bun.deepEquals(Object.keys(now), Object.keys(expected)))
    )

  test("is seen when it happens, written in place or by rename", () =>
    home.run(
      Effect.gen(function* () {
        home.write({ a: one() })
        const first = yield* pids
        home.write({ a: one(), b: one() })
        yield* settledAs({ a: 0, b: 0 })
        writeFileSync(`${home.file}.new`, JSON.stringify({ a: one(), c: one() }))
        renameSync(`${home.file}.new`, home.file)
        yield* settledAs({ a: 0, c: 0 })
        rmSync(home.file)
        yield* settledAs({})
        home.write({ a: one() })
        yield* settledAs({ a: 0 })
        expect((yield* pids).a).not.toBe(first.a)
      })
    ))

  test("is seen behind a link", () =>
    home.run(
      Effect.gen(function* () {
        mkdirSync(join(home.dir, "elsewhere"))
        const target = join(home.dir, "elsewhere", "servers.json")
        writeFileSync(target, JSON.stringify({ a: one() }))
        symlinkSync(target, home.file)
        yield* pids
        writeFileSync(target, JSON.stringify({ b: one() }))
        yield* settledAs({ b: 0 })
      })
    ))

  test("of config.json counts while its servers are in force, and a broken one changes nothing", () => {
    const config = join(home.dir, "config.json")
    const write = (value: unknown) =>
      writeFileSync(config, typeof value === "string" ? value : JSON.stringify(value))
    const read = Effect.sync(() => {
      try {
        return Result.succeed(JSON.parse(readFileSync(config, "utf8")).mcp_servers)
      } catch (error) {
        return Result.fail(String(error))
      }
    })
    write({ mcp_servers: { a: one() } })
    return home.run(
      Effect.gen(function* () {
        const first = yield* pids
        write({ mcp_servers: { a: one(), b: one() } })
        yield* settledAs({ a: 0, b: 0 })
        write('{"mcp_servers": {"a"')
        yield* Effect.sleep(200)
        yield* refresh
        expect(Object.keys(yield* pids)).toEqual(["a", "b"])
        expect((yield* pids).a).toBe(first.a)
        home.write({ m: one() })
        yield* settledAs({ m: 0 })
        write({ mcp_servers: { c: one() } })
        yield* Effect.sleep(200)
        yield* refresh
        expect(Object.keys(yield* pids)).toEqual(["m"])
        rmSync(home.file)
        yield* settledAs({ c: 0 })
      }),
      { configServers: { a: one() }, configReader: { files: [config], read } }
    )
  }, 20_000)
})

describe("a project's file that changes while Cow runs", () => {
  const project = () => join(home.dir, ".mcp.json")
  const write = (servers: object) => writeFileSync(project(), JSON.stringify(servers))

  test("starts nothing new and replaces nothing before it is trusted again", () => {
    let isTrusted = false
    return home.run(
      Effect.gen(function* () {
        const manager = yield* McpManager
        write({ a: one(), b: one() })
        const first = yield* pids
        write({ a: one({ evil: true }), c: one() })
        yield* refresh
        const second = yield* pids
        expect<unknown>(second).toEqual({ a: first.a, c: "untrusted" })
        expect((yield* manager.diagnostics).map(({ message }) => message)).toEqual([
          'server "a" has changed since the folder was trusted: `cow trust` to apply it'
        ])
        isTrusted = true
        yield* manager.reload()
        const third = yield* pids
        expect(third.a).not.toBe(first.a)
        expect(third.c).toMatch(/^\d+$/)
      }),
      { projectServersFile: project(), projectTrusted: true, isProjectTrusted: Effect.sync(() => isTrusted) }
    )
  })

  test("stands over the user's server of the same name when it is trusted, and under it when not", async () => {
    home.write({ x: one({}, { disabled: true }) })
    write({ x: one() })
    const sources = Effect.gen(function* () {
      yield* pids
      const manager = yield* McpManager
      const [warning] = yield* manager.diagnostics
      return [(yield* manager.get("x")).source, warning?.message ?? ""]
    })
    const [over, first] = await home.run(sources, { projectServersFile: project(), projectTrusted: true })
    const [under, second] = await home.run(sources, { projectServersFile: project() })
    expect([over, under]).toEqual(["project", "user"])
    expect(first).toEndWith(`${project()} counts`)
    expect(second).toEndWith(`${home.file} counts`)
  })
})

describe("reload", () => {
  test("tries failed servers again, restarts the named one, and applies changed variables", () => {
    const env: Record<string, string | undefined> = { ...process.env, NOTE: "1" }
    return home.run(
      Effect.gen(function* () {
        home.write({
          a: one(),
          v: one({}, { env: { NOTE: "${NOTE}" } }),
          miss: one({}, { env: { X: "${LATER_SET}" } })
        })
        const manager = yield* McpManager
        const first = yield* pids
        expect(first.miss).toBe("failed")
        env.LATER_SET = "x"
        yield* manager.reload()
        const second = yield* pids
        expect<unknown>(second).toEqual({ a: first.a, v: first.v, miss: second.miss })
        expect(second.miss).not.toBe("failed")
        env.NOTE = "2"
        yield* manager.reload()
        const third = yield* pids
        expect(third.v).not.toBe(second.v)
        expect(third.a).toBe(first.a)
        yield* manager.reload("a")
        expect((yield* pids).a).not.toBe(first.a)
        expect((yield* Effect.flip(manager.reload("nobody"))).name).toBe("nobody")
      }),
      { env }
    )
  })
})
