/** Tools with odd input schemas: what can be mended is there, what cannot is named with the reason. */
import { expect, test } from "bun:test"
import { Cow } from "../support/Cow.ts"

const property = (q: unknown) => ({ type: "object", properties: { q } })
const mended: Record<string, unknown> = {
  none: undefined,
  nothing: null,
  anything: true,
  no_type: { properties: { q: { type: "string" } }, required: ["q"] },
  capital: { type: "Object", properties: { q: { type: "STRING" } } },
  no_properties: { type: "object", properties: null },
  php: { type: "object", properties: [], required: [] },
  required_word: { ...property({ type: "string" }), required: "q" },
  required_true: { ...property({ type: "string", required: true }), required: true },
  odd_dialect: { $schema: "https://example.com/odd", ...property({ type: "string" }) },
  python_pattern: property({ type: "string", pattern: "^(?P<y>\\d+)\\Z" }),
  unicode_pattern: property({ type: "string", pattern: "^[\\w-.]+$" }),
  twice: property({ enum: ["a", "a"] }),
  draft4: {
    $schema: "http://json-schema.org/draft-04/schema#",
    ...property({ minimum: 1, exclusiveMinimum: true })
  },
  unknown_type: property({ type: "file" }),
  null_property: property(null),
  root_ref: { $ref: "#/$defs/In", $defs: { In: property({ type: "string" }) } },
  recursive: {
    ...property({ $ref: "#/$defs/n" }),
    $defs: { n: { type: "object", properties: { k: { $ref: "#/$defs/n" } } } }
  }
}
const broken: Record<string, unknown> = {
  root_string: { type: "string" },
  list: [1],
  number: 7,
  elsewhere: property({ $ref: "http://127.0.0.1:9/never.json" }),
  dangling: property({ $ref: "#/$defs/Missing" })
}

const server = `
const tools = JSON.parse(process.argv[2])
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }))
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === "initialize")
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "z", version: "1" } } })
  else if (method === "tools/list") send({ id, result: { tools } })
  else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } })
})
`

test("each odd schema that can be mended is, and each other is named with the reason everywhere", async () => {
  using cow = new Cow()
  const tools = Object.entries({ ...mended, ...broken }).map(([name, inputSchema]) => ({ name, inputSchema }))
  const args = [cow.write("zoo.cjs", server), JSON.stringify(tools)]
  cow.write("cow-home/mcp.json", JSON.stringify({ zoo: { command: "node", args } }))

  const report = JSON.parse((await cow.run(["mcp", "test", "zoo", "--json"])).stdout)
  expect(report.tools.map((tool: { wire_name: string }) => tool.wire_name)).toEqual(Object.keys(mended))
  expect(report.left_out.map(({ tool }: { tool: string }) => tool)).toEqual(Object.keys(broken))
  for (const { reason } of report.left_out) expect(reason).toContain("its input schema")

  const shown = JSON.parse((await cow.run(["mcp", "tools", "zoo", "--json"])).stdout)
  for (const { input_schema } of shown.tools)
    expect([input_schema.type, typeof input_schema.properties]).toEqual(["object", "object"])
  for (const command of [["mcp", "test", "zoo"], ["mcp", "tools", "zoo"], ["doctor"]]) {
    const { stderr, stdout } = await cow.run(command)
    for (const name of Object.keys(broken)) expect(`${stdout}${stderr}`).toContain(`tool "${name}"`)
  }
}, 60_000)
