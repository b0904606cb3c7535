/** The tools, servers and skills that the cases of policy speak of. */
import { Audience, type ServerStatus, Tool, ToolResult, ToolServers, type ToolTable } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const run = () => Effect.succeed(ToolResult.ok("done"))

export const builtin = (name: string, flags: { confirm?: boolean; mutates?: boolean } = {}): Tool.Tool =>
  Tool.make({
    name,
    description: name,
    run,
    spec: { requires_confirmation: flags.confirm ?? false, mutates_data: flags.mutates ?? false }
  })

export const mcp = (server: string, name: string, readOnly: boolean): Tool.Tool =>
  Tool.make({
    name: `mcp__${server}__${name}`,
    description: name,
    run,
    spec: {
      tool: name,
      server,
      specialist: "mcp_worker",
      requires_confirmation: !readOnly,
      mutates_data: !readOnly
    }
  })

export const registeredBuiltin = (tool: Tool.Tool): ToolTable.RegisteredTool => ({
  tool,
  source: { _tag: "Builtin" }
})

export const registeredMcp = (tool: Tool.Tool): ToolTable.RegisteredTool => ({
  tool,
  source: { _tag: "Mcp", server: tool.spec.server }
})

export const server = (given: Partial<ServerStatus> = {}): ServerStatus => ({
  name: "fs",
  state: "ready",
  error: null,
  toolCount: 3,
  audience: Audience.everyone,
  ...given
})

/** `current` is read at every question, so a test can change it. */
export const servers = (current: { list: ReadonlyArray<ServerStatus> }): Layer.Layer<ToolServers> =>
  Layer.succeed(ToolServers, {
    list: Effect.sync(() => current.list),
    changes: Stream.empty,
    refresh: Effect.void,
    begin: Effect.void
  })
