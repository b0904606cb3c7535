/**
 * How fast Cow starts: `cow --version`, and `cow run` until its first request is on the wire, alone and with 20 MCP
 * servers of which 5 hang. Build first: `bun run build`.
 */
import fs from "node:fs"
import path from "node:path"
import {
  built,
  fixture,
  type Home,
  makeHome,
  median,
  row,
  source,
  startModel,
  timeCommand
} from "./Measure.ts"

const rounds = Number(process.argv[2] ?? 10)

if (!fs.existsSync(built)) {
  console.error(`${built} is missing: run \`bun run build\` first`)
  process.exit(1)
}

const model = startModel()
const bare = makeHome({ "config.json": model.config })
const entry = (...flags: ReadonlyArray<string>) => ({ command: process.execPath, args: [fixture, ...flags] })
const servers = Object.fromEntries(
  Array.from({ length: 20 }, (_, at) => [`s${at}`, at < 5 ? entry("--hang") : entry("--delay=100")])
)
const crowded = makeHome({ "config.json": model.config, "mcp.json": { mcpServers: servers } })

/** Milliseconds from the start of the command to the arrival of its request. */
const firstRequest = (command: ReadonlyArray<string>, home: Home): Promise<number> => {
  const before = model.arrivals.length
  const began = performance.now()
  const child = Bun.spawn([...command, "run", "hello", "--workspace", path.join(home.folder, "work")], {
    env: home.env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe"
  })
  return child.exited.then(async (code) => {
    const arrived = model.arrivals[before]
    if (code === 0 && arrived !== undefined) return arrived - began
    throw new Error(`cow run ended with ${code}: ${await new Response(child.stderr).text()}`)
  })
}

/** The medians of several measurements, taken in turn so that all meet the same load. */
const inTurn = async (
  measures: ReadonlyArray<() => number | Promise<number>>
): Promise<ReadonlyArray<number>> => {
  for (const measure of measures) await measure()
  const taken: ReadonlyArray<Array<number>> = measures.map(() => [])
  for (let round = 0; round < rounds; round++)
    for (const [at, measure] of measures.entries()) taken[at]?.push(await measure())
  return taken.map(median)
}

const empty = [process.execPath, "-e", "0"]
const [bun, version, fromSource] = (await inTurn([
  () => timeCommand(empty, bare),
  () => timeCommand([built, "--version"], bare),
  () => timeCommand([...source, "--version"], bare)
])) as [number, number, number]
const [alone, many, sourceAlone] = (await inTurn([
  () => firstRequest([built], bare),
  () => firstRequest([built], crowded),
  () => firstRequest(source, bare)
])) as [number, number, number]

const ms = (value: number) => `${value.toFixed(0)} ms`
const times = (value: number) => `${value.toFixed(2)} ×`
console.log(`medians of ${rounds} rounds; an empty Bun process takes ${ms(bun)}`)
console.log(row("cow --version, built", ms(version), "≤ 60 ms", version <= 60))
console.log(row("cow --version, from source", ms(fromSource), "", true))
console.log(row("cow run to the first request, built", ms(alone), "≤ 250 ms", alone <= 250))
console.log(row("cow run to the first request, from source", ms(sourceAlone), "", true))
console.log(
  row("  with 20 MCP servers of which 5 hang, built", times(many / alone), "≤ 1.10 ×", many / alone <= 1.1)
)

model.stop()
bare.remove()
crowded.remove()
