/** `cow tools list` and `cow mcp tools`: which tools there are, and what a persona may not use and why. */
import { ToolGate, ToolManager, ToolSpec, type ToolTable } from "@cow/core"
import { McpManager, type ServerNotFound } from "@cow/mcp"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { ExitCode, failed } from "../command/ExitCode.ts"
import * as AgentLayers from "../layers/AgentLayers.ts"
import * as ServerWait from "../run/ServerWait.ts"
import * as ToolScene from "../run/ToolScene.ts"
import { Output } from "../terminal/Output.ts"
import * as Table from "../terminal/Table.ts"

const sourceOf = ({ source }: ToolTable.RegisteredTool): "builtin" | "mcp" | "plugin" =>
  source._tag === "Builtin" ? "builtin" : source._tag === "Mcp" ? "mcp" : "plugin"

type Asked = Effect.Success<ReturnType<typeof ToolScene.make>>

const rows = Effect.fnUntraced(function* (asked: Asked) {
  const gate = yield* ToolGate
  const { tools } = yield* Effect.flatMap(ToolManager, (manager) => manager.snapshot)
  return yield* Effect.forEach(tools, (registered) =>
    Effect.map(gate.decide({ ...asked, registered }), (decision) => {
      const { description, inputSchema, spec } = registered.tool
      return {
        name: registered.tool.name,
        source: sourceOf(registered),
        server: spec.server,
        wire_name: spec.tool,
        description,
        input_schema: inputSchema as Schema.Json,
        read_only: ToolSpec.isReadOnly(spec),
        requires_confirmation: spec.requires_confirmation,
        mutates_data: spec.mutates_data,
        allowed: decision._tag !== "Deny",
        reason: decision._tag === "Deny" ? decision.reason : null
      }
    })
  )
})

/** All of them, or those of one server. */
const show = Effect.fnUntraced(function* (asked: Asked, json: boolean, only?: string) {
  const output = yield* Output
  const ofServer = (one: { readonly server: string }) => only === undefined || one.server === only
  const tools = (yield* rows(asked)).filter(ofServer)
  const leftOut = (yield* Effect.flatMap(McpManager, (manager) => manager.leftOutTools)).filter(ofServer)
  if (json) return yield* output.json({ tools, left_out: leftOut })
  const lines = tools.map(({ allowed, description, name, reason, read_only, server, source }) => [
    name,
    server || source,
    allowed ? (read_only ? "reads" : "writes") : (reason ?? "denied"),
    description.split("\n")[0]?.slice(0, 100) ?? ""
  ])
  yield* output.text(Table.render(["NAME", "FROM", "MAY", "DESCRIPTION"], lines))
  for (const { reason, server, tool } of leftOut)
    yield* output.note(`cow: tool "${tool}" of server ${server} is left out: ${reason}`)
})

export const list = Effect.fnUntraced(function* (flags: ToolScene.ToolFlags) {
  const asked = yield* ToolScene.make(flags)
  yield* ServerWait.before(flags, ServerWait.usualSeconds)
  yield* show(asked, flags.json)
}, Effect.provide(AgentLayers.tools))

export const ofServer = Effect.fnUntraced(
  function* (flags: ToolScene.ToolFlags & { readonly name: string }) {
    const asked = yield* ToolScene.make(flags)
    const manager = yield* McpManager
    yield* manager.get(flags.name)
    yield* ServerWait.before(
      { ...flags, requireMcp: [...flags.requireMcp, flags.name] },
      ServerWait.usualSeconds
    )
    yield* show(asked, flags.json, flags.name)
  },
  Effect.catchTag("ServerNotFound", ({ message }: ServerNotFound) =>
    Effect.fail(failed(message, ExitCode.badInput))
  ),
  Effect.provide(AgentLayers.tools)
)
