#!/usr/bin/env node
/**
 * The smallest useful MCP server: one read-only tool, `echo`, over stdio, in plain JavaScript without packages.
 *
 *   ./run cow mcp add demo -- node "$PWD/examples/echo-server.mjs"
 *   ./run cow run "use the echo tool with message=hello"
 */
import { createInterface } from "node:readline"

const echo = {
  name: "echo",
  description: "Gives back the message it is given.",
  inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  annotations: { readOnlyHint: true }
}

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion === "2024-11-05" ? protocolVersion : "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "echo-server", version: "1.0.0" }
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [echo] }),
  "tools/call": (params) =>
    params.name === echo.name
      ? { content: [{ type: "text", text: `echo: ${params.arguments?.message}` }] }
      : { content: [{ type: "text", text: `no tool ${params.name}` }], isError: true }
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue
  const result = results[method]?.(params)
  if (result === undefined) send({ id, error: { code: -32601, message: `no method ${method}` } })
  else send({ id, result })
}
