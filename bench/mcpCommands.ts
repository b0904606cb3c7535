/**
 * Commands that start MCP servers: how soon `tools call` and `mcp list` end, beside the bare client doing the same in the
 * same run. The servers answer after 350 ms and do not leave when their input ends.
 */
import fs from "node:fs"
import path from "node:path"
import { built, fixture, type Home, makeHome, median, root, row, source, timeCommand } from "./Measure.ts"

const rounds = Number(process.argv[2] ?? 5)
const flags = ["--delay=350", "--stay"]
const cow = fs.existsSync(built) ? [built] : source
const bare = [process.execPath, path.join(root, "bench/fixtures/bare-list.ts")]

const homeOf = (count: number): Home => {
  const entry = { command: process.execPath, args: [fixture, ...flags] }
  const mcpServers = Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, entry]))
  return makeHome({ "mcp.json": { mcpServers } })
}
const one = homeOf(1)
const four = homeOf(4)
const call = ["tools", "call", "mcp__s0__tool_0", "--input", "{}"]

/** Milliseconds from the answer on standard output to the end of the command. */
const afterAnswer = async (home: Home): Promise<number> => {
  const child = Bun.spawn([...cow, ...call], { env: home.env, cwd: home.folder, stderr: "ignore" })
  let answered = Number.NaN
  for await (const _ of child.stdout) answered ||= performance.now()
  if ((await child.exited) !== 0) throw new Error("the call failed")
  return performance.now() - answered
}

const measured = {
  end: [] as Array<number>,
  callOne: [] as Array<number>,
  callFour: [] as Array<number>,
  bareOne: [] as Array<number>,
  list: [] as Array<number>,
  bareFour: [] as Array<number>
}
for (let round = 0; round < rounds; round++) {
  measured.end.push(await afterAnswer(one))
  measured.callOne.push(timeCommand([...cow, ...call], one))
  measured.callFour.push(timeCommand([...cow, ...call], four))
  measured.bareOne.push(timeCommand([...bare, "1", ...flags], one))
  measured.list.push(timeCommand([...cow, "mcp", "list", "--json"], four))
  measured.bareFour.push(timeCommand([...bare, "4", ...flags], four))
}
for (const home of [one, four]) home.remove()

const of = (name: keyof typeof measured): number => median(measured[name])
const ratio = (what: string, value: number, limit: number): void =>
  console.log(row(what, `${value.toFixed(2)} ×`, `≤ ${limit.toFixed(2)} ×`, value <= limit))

const load = fs.readFileSync("/proc/loadavg", "utf8").split(" ")[0]
console.log(
  `medians of ${rounds} rounds of ${cow.at(-1)}, ${navigator.hardwareConcurrency} cores, load ${load}`
)
console.log(
  row("tools call: from its answer to its end", `${of("end").toFixed(0)} ms`, "≤ 250 ms", of("end") <= 250)
)
console.log(row("bare client: connect, list, close, one server", `${of("bareOne").toFixed(0)} ms`, "", true))
ratio("tools call, one server, against that", of("callOne") / of("bareOne"), 1)
ratio("tools call with three more servers in the file", of("callFour") / of("callOne"), 1.15)
console.log(
  row("bare client: connect, list, close, four servers", `${of("bareFour").toFixed(0)} ms`, "", true)
)
ratio("mcp list over four servers, against that", of("list") / of("bareFour"), 1)
