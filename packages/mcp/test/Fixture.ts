/** A manager over a fresh COW_HOME, real processes, and what tests look at. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Tool, ToolResult } from "@cow/core"
import { SchemaInvalid, SchemaValidator, ToolManager, type ToolServers } from "@cow/core"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { defaultTimeouts, type McpSettings } from "../src/config/McpSettings.ts"
import { McpManager } from "../src/McpManager.ts"

export const server = join(import.meta.dir, "fixtures", "raw-server.mjs")

/** An entry for `mcp.json` that starts the raw server. */
export const raw = (switches: object, entry: object = {}, ...args: ReadonlyArray<string>) => ({
  command: process.execPath,
  args: [server, JSON.stringify(switches), ...args],
  ...entry
})

/** References that do not resolve are what this one refuses. */
const validator = Layer.succeed(SchemaValidator, {
  compile: (schema) => {
    const text = JSON.stringify(schema)
    return /"\$ref":"#\/\$defs\/Missing"/.test(text)
      ? Effect.fail(new SchemaInvalid({ message: "a reference does not resolve" }))
      : Effect.succeed(() => [])
  }
})

export const layerFor = (dir: string, more: Partial<McpSettings> = {}) =>
  McpManager.layer({
    cowHome: dir,
    home: dir,
    workspace: dir,
    env: process.env,
    projectTrusted: false,
    allowArbitraryStdio: false,
    ...defaultTimeouts,
    ...more
  }).pipe(
    Layer.provideMerge(Layer.mergeAll(ToolManager.layer, validator)),
    Layer.provideMerge(BunServices.layer)
  )

export class Home {
  readonly dir = mkdtempSync(join(tmpdir(), "cow-mcp-"))
  readonly log = join(this.dir, "log")
  readonly file = join(this.dir, "mcp.json")

  write(servers: unknown): void {
    writeFileSync(this.file, typeof servers === "string" ? servers : JSON.stringify(servers))
  }

  logged(): ReadonlyArray<{ event: string; pid: number; [key: string]: unknown }> {
    try {
      return readFileSync(this.log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    } catch {
      return []
    }
  }

  layer(more: Partial<McpSettings> = {}) {
    return layerFor(this.dir, more)
  }

  /** Runs with a manager that is closed at the end. */
  run<A, E>(
    effect: Effect.Effect<A, E, McpManager | ToolServers | ToolManager>,
    more: Partial<McpSettings> = {}
  ): Promise<A> {
    return Effect.runPromise(Effect.provide(effect, this.layer(more)))
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true })
  }
}

export const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    // A dead child of nobody stays in the table until it is reaped.
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

export const tools = Effect.gen(function* () {
  const manager = yield* ToolManager
  return (yield* manager.snapshot).tools.map(({ tool }) => tool)
})

export const call = (name: string, input: Record<string, never> | Record<string, string | number> = {}) =>
  Effect.gen(function* () {
    const found = (yield* tools).find((tool) => tool.name === name)
    if (found === undefined) throw new Error(`no tool ${name}`)
    return yield* runTool(found, input)
  })

/** Starts, waits until everything has settled. */
export const settled = Effect.gen(function* () {
  const manager = yield* McpManager
  yield* manager.waitSettled(8)
  return manager
})

export const runTool = (tool: Tool.Tool, input = {}): Effect.Effect<ToolResult.ToolResult> =>
  tool.run(input, {
    callId: "c",
    runId: "r",
    sessionId: "s",
    persona: "default",
    workspace: "/",
    permission: "full-access"
  })

/** Waits until the effect gives true. */
export const until = <E, R>(what: string, check: Effect.Effect<boolean, E, R>, millis = 8000) =>
  Effect.gen(function* () {
    const end = Date.now() + millis
    while (!(yield* check)) {
      if (Date.now() > end) throw new Error(`waited in vain for: ${what}`)
      yield* Effect.sleep(20)
    }
  })
