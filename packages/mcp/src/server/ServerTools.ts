/**
 * What a server listed, as tools of core's table: named, filtered, their schemas tried. What is left out is said.
 *
 * Reading one listed tool is `RemoteTool`; running a call is handed in.
 */
import type { Message, SchemaValidator, Tool, ToolResult } from "@cow/core"
import { CanonicalJson, McpToolName, SchemaInvalid, ToolSpec } from "@cow/core"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as McpConfig from "../config/McpConfig.ts"
import type { ServerEntry } from "../config/ServerEntry.ts"
import type { ListedTools } from "../connection/Connection.ts"
import type { RemoteTool } from "./RemoteTool.ts"
import * as SchemaMend from "./SchemaMend.ts"
import * as ToolFilter from "./ToolFilter.ts"

export interface LeftOutTool {
  readonly server: string
  /** The server's own name; `""` where it has none. */
  readonly tool: string
  readonly reason: string
}

export interface ServerTools {
  readonly tools: ReadonlyArray<Tool.Tool>
  readonly leftOut: ReadonlyArray<LeftOutTool>
  readonly warnings: ReadonlyArray<string>
}

export interface ToolsContext {
  readonly server: string
  readonly entry: ServerEntry
  /** Names of all configured servers. */
  readonly servers: ReadonlyArray<string>
  readonly call: (tool: RemoteTool, input: Message.JsonObject) => Effect.Effect<ToolResult.ToolResult>
}

/** The six facts. A server's claim to be read-only is believed; anything else changes things and asks. */
export const specOf = (server: string, name: string, tool: RemoteTool): ToolSpec.ToolSpec =>
  Result.getOrThrow(
    ToolSpec.make({
      name,
      specialist: "mcp_worker",
      tool: tool.name,
      requires_confirmation: !tool.readOnly,
      mutates_data: !tool.readOnly,
      server
    })
  )

const toolOf = (context: ToolsContext, origin: string, name: string, tool: RemoteTool): Tool.Tool => ({
  name,
  description: tool.description,
  inputSchema: tool.inputSchema,
  spec: specOf(context.server, name, tool),
  origin,
  parallelSafe: tool.readOnly,
  // A call keeps the server's own limits.
  timeout: Duration.infinity,
  ...(tool.destructive
    ? {
        effectOf: () =>
          Effect.succeed({ _tag: "Asks" as const, reason: `${name} is destructive, its server says` })
      }
    : {}),
  run: (input) => context.call(tool, input)
})

const fingerprint = ({ name, description, inputSchema, spec, effectOf }: Tool.Tool): string =>
  CanonicalJson.stringify([name, description, inputSchema, spec, effectOf !== undefined])

type Validator = Context.Service.Shape<typeof SchemaValidator>

/** The schema if it is one, or what can be made of it. Fails with the reason why there is none. */
const compilable = (validator: Validator, schema: Message.JsonObject) => {
  const tried = (one: Message.JsonObject) =>
    validator.compile(one).pipe(
      Effect.as(one),
      // What is nested deeper than the stack is a bad schema like any other.
      Effect.catchDefect((defect) =>
        Effect.fail(new SchemaInvalid({ message: `it cannot be compiled: ${String(defect)}` }))
      )
    )
  return Effect.catch(tried(schema), () => Effect.suspend(() => tried(SchemaMend.mend(schema))))
}

/**
 * Tools whose definition is that of one in `before` are that very object, so that a table of the same tools stays
 * the same table.
 */
export const make = (
  context: ToolsContext,
  listed: ListedTools,
  validator: Validator,
  before: ReadonlyArray<Tool.Tool> = []
): Effect.Effect<ServerTools> =>
  Effect.gen(function* () {
    const { entry, server } = context
    const origin = McpConfig.originOf(entry)
    const leftOut: Array<LeftOutTool> = listed.skipped.map(({ name, reason }) => ({
      server,
      tool: name,
      reason
    }))
    const known = new Map(before.map((tool) => [fingerprint(tool), tool]))
    const names = McpToolName.ofTools(
      server,
      listed.tools.map(({ name }) => name),
      context.servers
    )
    const tools: Array<Tool.Tool> = []
    for (const [at, remote] of listed.tools.entries()) {
      if (!ToolFilter.isKept(remote.name, entry)) continue
      const tool = toolOf(context, origin, names[at] as string, remote)
      const same = known.get(fingerprint(tool))
      if (same !== undefined) {
        tools.push(same)
        continue
      }
      // A long list of schemas must not keep everybody else waiting.
      yield* Effect.yieldNow
      const usable = yield* Effect.result(compilable(validator, remote.inputSchema))
      if (Result.isFailure(usable))
        leftOut.push({ server, tool: remote.name, reason: `its input schema: ${usable.failure.message}` })
      else if (usable.success === remote.inputSchema) tools.push(tool)
      else {
        const mended = { ...tool, inputSchema: usable.success }
        tools.push(known.get(fingerprint(mended)) ?? mended)
      }
    }
    const unused = ToolFilter.unused(
      listed.tools.map(({ name }) => name),
      entry
    )
    return {
      tools,
      leftOut,
      warnings: [
        ...listed.warnings,
        ...unused.map((pattern) => `the pattern "${pattern}" matches none of its tools`)
      ]
    }
  })
