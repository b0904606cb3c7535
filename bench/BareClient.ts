/** The MCP client that Cow uses, with nothing of Cow around it: the base line of the measurements. */
import path from "node:path"
import { fixture, root } from "./Measure.ts"

export interface BareClient {
  readonly connect: (transport: object) => Promise<void>
  readonly close: () => Promise<void>
  readonly listTools: () => Promise<unknown>
  readonly callTool: (request: { readonly name: string; readonly arguments: object }) => Promise<unknown>
}

/** Connected to the measuring server, started with these flags. */
export const connect = async (flags: ReadonlyArray<string> = []): Promise<BareClient> => {
  const found = (name: string) => import(Bun.resolveSync(name, path.join(root, "packages/mcp")))
  const { Client } = await found("@modelcontextprotocol/client")
  const { StdioClientTransport } = await found("@modelcontextprotocol/client/stdio")
  const client: BareClient = new Client({ name: "bench", version: "1.0.0" })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [fixture, ...flags] }))
  return client
}
