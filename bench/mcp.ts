/**
 * MCP servers: how soon twelve are ready against one alone, what a look at an unchanged `mcp.json` costs, what Cow adds
 * to a call over the bare client, and whether long results cost their length. Ratios are taken in one run.
 */
import fs from "node:fs"
import path from "node:path"
import { SchemaValidatorAjv } from "@cow/agent"
import { ToolManager, type ToolResult, ToolServers } from "@cow/core"
import { defaultTimeouts, McpManager } from "@cow/mcp"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BareClient from "./BareClient.ts"
import { fixture, type Home, makeHome, median, root, row } from "./Measure.ts"

const rounds = Number(process.argv[2] ?? 5)
const cores = navigator.hardwareConcurrency

const layerFor = (home: Home) =>
  McpManager.layer({
    cowHome: path.join(home.folder, "cow"),
    home: home.folder,
    workspace: path.join(home.folder, "work"),
    env: process.env,
    projectTrusted: false,
    allowArbitraryStdio: false,
    ...defaultTimeouts
  }).pipe(
    Layer.provideMerge(Layer.mergeAll(ToolManager.layer, SchemaValidatorAjv.layer)),
    Layer.provideMerge(BunServices.layer)
  )

type Services = McpManager | ToolServers | ToolManager

/** Runs over servers of the bench's own, started with these flags. */
const withServers = async <A>(
  servers: Readonly<Record<string, ReadonlyArray<string>>>,
  effect: Effect.Effect<A, never, Services>
): Promise<A> => {
  const entries = Object.entries(servers).map(([name, flags]) => [
    name,
    { command: process.execPath, args: [fixture, ...flags] }
  ])
  const home = makeHome({ "mcp.json": { mcpServers: Object.fromEntries(entries) } })
  try {
    return await Effect.runPromise(Effect.provide(effect, layerFor(home)))
  } finally {
    home.remove()
  }
}

const settled = Effect.flatMap(McpManager, (manager) => manager.waitSettled(60))

/** Milliseconds until all are ready. */
const untilReady = (count: number, flags: ReadonlyArray<string>): Promise<number> =>
  withServers(
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, flags])),
    Effect.gen(function* () {
      const manager = yield* McpManager
      const names = Array.from({ length: count }, (_, at) => `s${at}`)
      const began = performance.now()
      yield* manager.waitSettled(60, names)
      const taken = performance.now() - began
      for (const { error, name, status } of yield* manager.list)
        if (status !== "ready") throw new Error(`${name} is ${status}: ${error}`)
      return taken
    })
  )

/** How long twelve take against one alone: the medians of several rounds taken in turn. */
const twelve = async (flags: ReadonlyArray<string>) => {
  const alone: Array<number> = []
  const all: Array<number> = []
  for (let round = 0; round <= rounds; round++) {
    const [one, many] = [await untilReady(1, flags), await untilReady(12, flags)]
    // The first round loads the client.
    if (round > 0) [alone, all].forEach((list, at) => void list.push(at === 0 ? one : many))
  }
  return median(all) / median(alone)
}

const unchangedLook = () =>
  withServers(
    {},
    Effect.gen(function* () {
      const { refresh } = yield* ToolServers
      yield* settled
      yield* Effect.sleep(100)
      const taken: Array<number> = []
      for (let at = 0; at < 5000; at++) {
        const began = performance.now()
        yield* refresh
        taken.push((performance.now() - began) * 1000)
      }
      return median(taken)
    })
  )

const context = {
  callId: "c",
  runId: "r",
  sessionId: "s",
  persona: "default",
  workspace: root,
  permission: "full-access"
} as const

/** The first tool of the first server, as a function. */
const caller = Effect.gen(function* () {
  yield* settled
  const { tools } = yield* Effect.flatMap(ToolManager, (manager) => manager.snapshot)
  const tool = tools[0]?.tool
  if (tool === undefined) throw new Error("there is no tool")
  return (input: Record<string, number>): Effect.Effect<ToolResult.ToolResult> => tool.run(input, context)
})

/** A tenth of the values are lower: what a busy machine adds is left out on both sides. */
const undisturbed = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 10)] ?? Number.NaN

/** Microseconds a call, the bare client's and Cow's in turn. */
const callOverhead = async () => {
  const client = await BareClient.connect()
  const times = await withServers(
    { s: [] },
    Effect.gen(function* () {
      const call = yield* caller
      const bare: Array<number> = []
      const cow: Array<number> = []
      for (let block = 0; block < 110; block++) {
        let began = performance.now()
        for (let at = 0; at < 100; at++)
          yield* Effect.promise(() => client.callTool({ name: "tool_0", arguments: {} }))
        if (block >= 10) bare.push((performance.now() - began) * 10)
        began = performance.now()
        for (let at = 0; at < 100; at++) yield* call({})
        if (block >= 10) cow.push((performance.now() - began) * 10)
      }
      return { bare: undisturbed(bare), cow: undisturbed(cow) }
    })
  )
  await client.close()
  return times
}

/** How much more work a character of 60 MB is than one of 6 MB. Work, since the rest is the server's and the system's. */
const longResults = () =>
  withServers(
    { s: [] },
    Effect.gen(function* () {
      const call = yield* caller
      const cost = (size: number) =>
        Effect.gen(function* () {
          const taken: Array<number> = []
          for (let round = 0; round < 5; round++) {
            const began = performance.now()
            const result = yield* call({ size })
            if (result._tag !== "Ok") throw new Error(JSON.stringify(result).slice(0, 200))
            taken.push((performance.now() - began) / size)
          }
          return median(taken)
        })
      yield* cost(6_000_000)
      return (yield* cost(60_000_000)) / (yield* cost(6_000_000))
    })
  )

const times = (value: number) => `${value.toFixed(2)} ×`
console.log(
  `medians of ${rounds} rounds, ${cores} cores, load ${fs.readFileSync("/proc/loadavg", "utf8").split(" ")[0]}`
)
for (const [what, flags] of [
  ["that answer at once", []],
  ["that wait for 500 ms", ["--delay=500"]],
  ["that work for 300 ms", ["--busy=300"]]
] as const) {
  const ratio = await twelve(flags)
  // What twelve cost together cannot be had faster than the cores allow.
  const limit = cores >= 8 ? 1.5 : 12 / 2
  console.log(row(`12 stdio servers ${what} against one`, times(ratio), `≤ ${times(limit)}`, ratio <= limit))
}
const look = await unchangedLook()
console.log(row("a look at an unchanged mcp.json", `${look.toFixed(1)} µs`, "≤ 50 µs", look <= 50))
const { bare, cow } = await callOverhead()
console.log(row("a call, bare client", `${bare.toFixed(0)} µs`, "", true))
console.log(row("a call through Cow", times(cow / bare), "≤ 1.20 ×", cow / bare <= 1.2))
const long = await longResults()
console.log(row("a byte of a 60 MB result against one of 6 MB", times(long), "≤ 1.50 ×", long <= 1.5))
