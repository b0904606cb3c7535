/**
 * An MCP server on stdio for the fault tests: `ok` answers, `die` ends the process, `hang` never answers, `flood` writes
 * without a line end, `noise` writes lines that are no messages, `shout` fills standard error. Its child outlives it
 * unless the whole group is ended.
 */
Bun.spawn(["sleep", "600"], { stdin: "ignore", stdout: "inherit", stderr: "ignore" })

const write = (text: string): Promise<void> => new Promise((done) => process.stdout.write(text, () => done()))
const names = ["ok", "die", "hang", "flood", "noise", "shout"]
const tools = names.map((name) => ({
  name,
  inputSchema: { type: "object" },
  annotations: { readOnlyHint: true }
}))

const answers: Record<string, () => Promise<string | undefined>> = {
  ok: async () => String(process.pid),
  die: async () => process.exit(3),
  hang: async () => undefined,
  flood: async () => {
    for (;;) await write("x".repeat(1 << 22))
  },
  noise: async () => {
    await write("{}\nnot json\n[1]\n\u0000\u001b[2J\n".repeat(2000))
    return "noisy"
  },
  shout: async () => {
    for (let line = 0; line < 500; line++) process.stderr.write(`${"e".repeat(2000)}\n`)
    return "loud"
  }
}

interface Question {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly name?: string; readonly protocolVersion?: string }
}

const handle = async ({ id, method, params }: Question): Promise<void> => {
  if (id === undefined) return
  const reply = (body: object) => write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`)
  if (method === "initialize") {
    const serverInfo = { name: "faults", version: "1.0.0" }
    const protocolVersion = params?.protocolVersion
    return reply({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo } })
  }
  if (method === "tools/list") return reply({ result: { tools } })
  if (method !== "tools/call") return reply({ error: { code: -32601, message: "no such method" } })
  const text = await answers[params?.name ?? ""]?.()
  if (text !== undefined) await reply({ result: { content: [{ type: "text", text }] } })
}

for await (const line of console) void handle(JSON.parse(line))
