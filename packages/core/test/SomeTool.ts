/** Tools and sources for tests. */
import * as Effect from "effect/Effect"
import { Tool, ToolResult, type ToolTable } from "../src/index.ts"

export const someTool = (name: string, more: Partial<Parameters<typeof Tool.make>[0]> = {}): Tool.Tool =>
  Tool.make({ name, description: `does ${name}`, run: () => Effect.succeed(ToolResult.ok(name)), ...more })

export const builtin: ToolTable.ToolSource = { _tag: "Builtin" }
export const plugin = (id: string, order = 0): ToolTable.ToolSource => ({ _tag: "Plugin", id, order })
export const server = (name: string): ToolTable.ToolSource => ({ _tag: "Mcp", server: name })
