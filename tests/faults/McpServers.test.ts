/** Servers are killed, hung, flooded, edited and switched: what is left, and what the others notice. Real processes. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { SchemaValidatorAjv } from "@cow/agent"
import { ToolManager, ToolResult, ToolServers } from "@cow/core"
import { defaultTimeouts, McpManager } from "@cow/mcp"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"

setDefaultTimeout(90_000)

const program = path.join(import.meta.dir, "server.ts")
let home: string
let mark: string
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), "cow-faults-"))
  mark = `cow-fault-${crypto.randomUUID()}`
})
afterEach(() => fs.rmSync(home, { recursive: true, force: true }))

const entry = (more: object = {}) => ({
  command: process.execPath,
  args: [program],
  env: { FAULT_MARK: mark },
  timeout: 2,
  ...more
})
const write = (servers: object) => fs.writeFileSync(path.join(home, "mcp.json"), JSON.stringify(servers))

const layer = () =>
  McpManager.layer({
    cowHome: home,
    home,
    workspace: home,
    env: process.env,
    projectTrusted: false,
    allowArbitraryStdio: false,
    ...defaultTimeouts
  }).pipe(
    Layer.provideMerge(Layer.mergeAll(ToolManager.layer, SchemaValidatorAjv.layer)),
    Layer.provideMerge(BunServices.layer)
  )
const run = <A, E>(effect: Effect.Effect<A, E, McpManager | ToolManager | ToolServers>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layer()))

/** Processes that carry this test's mark in their environment, children of servers among them; no zombies. */
const marked = (): ReadonlyArray<number> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return fs.readFileSync(`/proc/${name}/environ`, "utf8").includes(mark)
      } catch {
        // It has ended, or is another user's.
        return false
      }
    })
    .map(Number)

const signal = (pid: number | null, name: "SIGKILL" | "SIGSTOP"): void => {
  try {
    if (pid !== null) process.kill(pid, name)
  } catch {
    // It has ended by itself in this moment.
  }
}

const openFiles = () => fs.readdirSync("/proc/self/fd").length

const tools = Effect.flatMap(ToolManager, (manager) => manager.snapshot)
const context = {
  callId: "c",
  runId: "r",
  sessionId: "s",
  persona: "default",
  workspace: "/",
  permission: "full-access"
} as const

/** Waits for the tool while its server is on its way back. */
const call = (name: string) =>
  Effect.gen(function* () {
    const end = Date.now() + 20_000
    for (;;) {
      const found = (yield* tools).byName.get(name)
      if (found !== undefined) return yield* found.tool.run({}, context)
      if (Date.now() > end) throw new Error(`there is no tool ${name}`)
      yield* Effect.sleep(20)
    }
  })
const settled = (...names: ReadonlyArray<string>) =>
  Effect.flatMap(McpManager, (manager) => manager.waitSettled(20, names))
const refresh = Effect.flatMap(ToolServers, (servers) => servers.refresh)

/** A generator of the same sequence in each run. */
const sequence = (seed: number) => () => {
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed / 2147483648
}

describe("servers that fail in every way", () => {
  test("two hundred times leave no process and cost the others nothing", async () => {
    const faults = ["die", "hang", "noise", "shout", "kill", "stop", "edit", "reload"] as const
    const next = sequence(7)
    const weak = ["w0", "w1", "w2", "w3"]
    const configured = new Map<string, object>([
      ["good", entry()],
      ...weak.map((name) => [name, entry()] as const)
    ])
    write(Object.fromEntries(configured))
    await run(
      Effect.gen(function* () {
        const manager = yield* McpManager
        yield* settled("good", ...weak)
        const goodPid = (yield* manager.get("good")).pid
        let asked = 0
        let lost = 0
        const watcher = yield* Effect.forkChild(
          Effect.forever(
            Effect.gen(function* () {
              const table = yield* tools
              if (["ok", "die", "hang"].some((name) => !table.byName.has(`mcp__good__${name}`))) lost++
              const result = yield* call("mcp__good__ok")
              asked++
              if (ToolResult.textOf(result) !== String(goodPid)) lost++
              yield* Effect.sleep(5)
            })
          )
        )
        const hit = (name: string, at: number) =>
          Effect.gen(function* () {
            const fault = faults[Math.floor(next() * faults.length)] ?? "die"
            const { pid } = yield* manager.get(name)
            switch (fault) {
              case "kill":
                signal(pid, "SIGKILL")
                return
              case "stop":
                // As good as dead: it is ended all the same.
                signal(pid, "SIGSTOP")
                return yield* manager.reload(name)
              case "edit":
                configured.set(name, entry({ note: at, args: [program, String(at)] }))
                write(Object.fromEntries(configured))
                return yield* refresh
              case "reload":
                return yield* manager.reload(name)
              default:
                return yield* Effect.asVoid(
                  Effect.timeoutOption(
                    call(`mcp__${name}__${fault}`),
                    fault === "hang" ? "30 millis" : "4 seconds"
                  )
                )
            }
          })
        for (let at = 0; at < 50; at++) {
          yield* Effect.forEach(weak, (name, which) => hit(name, at * 4 + which), { concurrency: 4 })
          // A server that failed five times in a row rests until somebody asks for it.
          for (const { name, status } of yield* manager.list)
            if (status === "failed") yield* manager.reload(name)
        }
        yield* settled("good", ...weak)
        yield* Fiber.interrupt(watcher)
        expect(asked).toBeGreaterThan(50)
        expect(lost).toBe(0)
        expect((yield* manager.get("good")).pid).toBe(goodPid)
        expect((yield* manager.list).map(({ name, status, tools: count }) => [name, status, count])).toEqual(
          ["good", ...weak].map((name) => [name, "ready", 6])
        )
        const pids = (yield* manager.list).map(({ pid }) => pid)
        // Each with its one child, and nothing of all that ran before.
        const end = Date.now() + 8000
        while (marked().length > 10 && Date.now() < end) yield* Effect.sleep(50)
        expect(marked().length).toBe(10)
        for (const pid of pids) expect(marked()).toContain(pid ?? 0)
      })
    )
    expect(marked()).toEqual([])
    expect(fs.readdirSync(path.join(home, "run"))).toEqual([])
  })

  test("one that floods its output is ended, and another answers all the while", async () => {
    write({ good: entry(), flood: entry({ timeout: 30 }) })
    await run(
      Effect.gen(function* () {
        yield* settled("good", "flood")
        const flooding = yield* Effect.forkChild(call("mcp__flood__flood"))
        const waits: Array<number> = []
        while (flooding.pollUnsafe() === undefined) {
          const began = performance.now()
          expect((yield* call("mcp__good__ok"))._tag).toBe("Ok")
          waits.push(performance.now() - began)
        }
        expect(ToolResult.textOf(yield* Fiber.join(flooding))).toContain("a line that is too long")
        expect(Math.max(...waits)).toBeLessThan(1000)
      })
    )
    expect(marked()).toEqual([])
  })
})

test("switching a server off and on fifty times leaves as many processes and open files as before", async () => {
  const both = (disabled: boolean) => write({ a: entry({ disabled }), b: entry() })
  both(false)
  await run(
    Effect.gen(function* () {
      yield* settled("a", "b")
      const turn = (disabled: boolean) =>
        Effect.gen(function* () {
          both(disabled)
          yield* refresh
          if (!disabled) yield* settled("a")
        })
      const { pid } = yield* Effect.flatMap(McpManager, (manager) => manager.get("b"))
      for (const disabled of [true, false]) yield* turn(disabled)
      const before = openFiles()
      for (let at = 0; at < 50; at++) {
        yield* turn(true)
        yield* turn(false)
      }
      expect((yield* Effect.flatMap(McpManager, (manager) => manager.get("b"))).pid).toBe(pid)
      const end = Date.now() + 8000
      while ((marked().length > 4 || openFiles() > before) && Date.now() < end) yield* Effect.sleep(50)
      expect(marked().length).toBe(4)
      expect(openFiles()).toBeLessThanOrEqual(before)
    })
  )
  expect(marked()).toEqual([])
})

test("starting and ending a hundred times leaves no process, open file or timer", async () => {
  // Four in each of twenty-five rounds.
  const names = ["a", "b", "c", "d"]
  write(Object.fromEntries(names.map((name) => [name, entry()])))
  const once = () => run(settled(...names))
  for (let at = 0; at < 3; at++) await once()
  const before = openFiles()
  const timers = process.getActiveResourcesInfo().length
  for (let at = 0; at < 25; at++) expect(await once()).toEqual([])
  expect(marked()).toEqual([])
  expect(openFiles()).toBeLessThanOrEqual(before)
  expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(timers)
})
