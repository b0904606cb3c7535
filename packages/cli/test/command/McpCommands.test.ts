/** `cow mcp` as a user sees it, with servers that are real processes. */
import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { Cow } from "../support/Cow.ts"

test("a broken mcp.json is warned about once by cow mcp list", async () => {
  using cow = new Cow()
  cow.write("cow-home/mcp.json", '{"mcpServers": {"x": ')
  const { code, stderr } = await cow.run(["mcp", "list"])
  expect([code, stderr.match(/mcp\.json/g)?.length]).toEqual([0, 1])
  expect(stderr).toContain("line 1")
})

test("the error of a server that has exited names its error and not its stack", async () => {
  using cow = new Cow()
  cow.write("cow-home/mcp.json", JSON.stringify({ x: { command: "node", args: ["/nowhere/server.js"] } }))
  const { stdout } = await cow.run(["mcp", "list", "--json"])
  const [{ error }] = JSON.parse(stdout).servers
  expect(error).toContain("Cannot find module")
  expect(error).not.toMatch(/^\s*at /m)
})

/** Asks for a model call as soon as the handshake is done, and writes down the answer. */
const asking = `
const { createInterface } = require("node:readline")
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }))
createInterface({ input: process.stdin }).on("line", (line) => {
  const { error, id, method, params, result } = JSON.parse(line)
  if (id === "mine") require("node:fs").writeFileSync(process.argv[2], JSON.stringify(error ?? result))
  else if (method === "initialize")
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "a", version: "1" } } })
  else if (method === "tools/list") send({ id, result: { tools: [] } })
  else if (method === "notifications/initialized")
    send({ id: "mine", method: "sampling/createMessage", params: { maxTokens: 9, messages: [{ role: "user", content: { type: "text", text: "hi" } }] } })
  else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } })
})
`

const withAsking = (cow: Cow) => {
  const file = cow.write("asking.cjs", asking)
  const answer = `${cow.folder}/answer`
  cow.write("cow-home/mcp.json", JSON.stringify({ s: { command: "node", args: [file, answer] } }))
  return {
    answered: async () => {
      for (const end = Date.now() + 8_000; Date.now() < end; await Bun.sleep(20))
        if (await Bun.file(answer).exists()) return JSON.parse(await Bun.file(answer).text())
      throw new Error("the server got no answer")
    }
  }
}

test("a server that asks for a model call is told that there is no such method, unless the settings allow it", async () => {
  using cow = new Cow()
  const { answered } = withAsking(cow)
  const chat = cow.open(["chat", "--output", "json"])
  expect(await answered()).toMatchObject({ code: -32601 })
  chat.stdin.end()
  await chat.exited
})

test("a server may ask for a call of the run's model where the settings allow it, and a line of the chat approves it", async () => {
  using cow = new Cow({ model: "offline/other", mcp_sampling_enabled: true })
  const { answered } = withAsking(cow)
  const chat = cow.open(["chat", "--output", "json", "--model", "offline/cow"])
  let shown = ""
  for await (const chunk of chat.stdout) {
    shown += new TextDecoder().decode(chunk)
    if (shown.includes("\n")) break
  }
  const event = JSON.parse(shown.split("\n")[0] ?? "")
  expect(event).toMatchObject({ type: "approval_requested", tool: "sampling/createMessage", server: "s" })
  expect(JSON.stringify(event.input)).toContain('"hi"')
  chat.stdin.write(`${JSON.stringify({ type: "approve", call_id: event.call_id })}\n`)
  chat.stdin.flush()
  expect(await answered()).toMatchObject({ role: "assistant", model: "offline/cow" })
  chat.stdin.end()
  await chat.exited
})

test("where nobody can approve it a model call that a server asks for is refused", async () => {
  using cow = new Cow({ model: "offline/cow", mcp_sampling_enabled: true })
  const { answered } = withAsking(cow)
  await cow.run(["run", "hello", "--require-mcp", "s"])
  expect((await answered()).message).toContain("nobody is there to approve")
})

test("a run says which servers it has stopped in the middle of their start, and --quiet does not", async () => {
  using cow = new Cow()
  cow.write("cow-home/mcp.json", JSON.stringify({ slow: { command: "sleep", args: ["60"] } }))
  const run = ["run", "hello", "--mcp-wait", "1"]
  const { code, stderr } = await cow.run(run)
  expect([code, stderr.match(/slow/g)?.length]).toEqual([0, 1])
  expect(stderr).toContain("slow still starting")
  expect((await cow.run([...run, "--quiet"])).stderr).toBe("")
}, 20_000)

test("the list shows what each server runs or where it is, without its secrets", async () => {
  using cow = new Cow()
  const servers = {
    here: { command: "nosuchprogram", args: ["--api-key", "k3y-of-mine"] },
    there: { url: "http://127.0.0.1:9/mcp?token=k3y-of-mine" }
  }
  cow.write("cow-home/mcp.json", JSON.stringify(servers))
  const { stdout } = await cow.run(["mcp", "list", "--mcp-wait", "1"])
  expect(stdout).toContain("nosuchprogram --api-key ********")
  expect(stdout).toContain("http://127.0.0.1:9/mcp?token=********")
  expect(stdout).not.toContain("k3y")
})

/** Answers `initialize`, a list of one tool, and calls; writes down that it was started. Never leaves by itself. */
const staying = `
require("node:fs").writeFileSync(process.argv[2], String(process.pid))
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }))
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === "initialize")
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "a", version: "1" } } })
  else if (method === "tools/list")
    send({ id, result: { tools: [{ name: "t", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] } })
  else if (method === "tools/call") send({ id, result: { content: [{ type: "text", text: "answered" }] } })
  else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } })
})
setInterval(() => {}, 1000)
`

test("a command starts only the server that it names, and leaves none behind", async () => {
  using cow = new Cow()
  const file = cow.write("staying.cjs", staying)
  const names = ["a", "b", "c"]
  const server = (name: string) => ({ command: "node", args: [file, cow.write(`pid-${name}`, "")] })
  cow.write(
    "cow-home/mcp.json",
    JSON.stringify(Object.fromEntries(names.map((name) => [name, server(name)])))
  )
  const pidOf = (name: string) => Number(readFileSync(`${cow.folder}/pid-${name}`, "utf8"))
  const isAlive = (name: string) => existsSync(`/proc/${pidOf(name)}`)
  for (const args of [
    ["tools", "call", "mcp__b__t", "--input", "{}"],
    ["mcp", "tools", "b"],
    ["mcp", "get", "b"],
    ["mcp", "test", "b"]
  ]) {
    for (const name of names) cow.write(`pid-${name}`, "")
    const { code, stderr } = await cow.run(args)
    expect([args, code, stderr]).toEqual([args, 0, ""])
    expect(names.map((name) => pidOf(name) > 0)).toEqual([false, true, false])
    expect(isAlive("b")).toBe(false)
  }
}, 60_000)
