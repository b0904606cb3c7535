/** `cow mcp serve`: Cow's own tools for other agents, as an MCP server on stdin and stdout. Starts no MCP server. */
import { Agent } from "@cow/agent"
import { Approver, ToolManager, ToolSpec } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as AgentLayers from "../layers/AgentLayers.ts"
import * as ToolScene from "../run/ToolScene.ts"
import * as McpServer from "../serve/McpServer.ts"
import { Output } from "../terminal/Output.ts"
import * as StandardInput from "../terminal/StandardInput.ts"

const waits = (runId: string) =>
  `The call waits for a person's approval: cow approve ${runId}, or cow deny ${runId}.`

/** Calls go through the same checks as a model's; where one needs a person it is left to `cow approve`. */
const offer = Effect.fnUntraced(function* (asked: Effect.Success<ReturnType<typeof ToolScene.make>>) {
  const agent = yield* Agent
  const manager = yield* ToolManager
  const tools: McpServer.Offer["tools"] = Effect.map(manager.snapshot, ({ tools }) =>
    tools.map(({ tool }) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
      readOnly: ToolSpec.isReadOnly(tool.spec)
    }))
  )
  const call: McpServer.Offer["call"] = (name, input) =>
    Effect.map(agent.call({ ...asked, name, input }), ({ content, result, runId }) => ({
      content: runId === null ? content : [...content, { type: "text", text: waits(runId) }],
      structured: "structured" in result ? (result.structured ?? null) : null,
      isError: result._tag !== "Ok"
    }))
  return { tools, call }
})

export const serve = Effect.fnUntraced(
  function* (flags: Pick<ToolScene.ToolFlags, "persona" | "permission">) {
    const output = yield* Output
    const manager = yield* ToolManager
    const asked = yield* ToolScene.make(flags)
    const server = yield* McpServer.make(yield* offer(asked), (line) => output.raw(`${line}\n`))
    yield* Effect.forkScoped(Stream.runForEach(manager.changes, () => server.announce))
    yield* Stream.runForEach(StandardInput.lines, server.receive)
    // Whoever closed the input may still read the answers, but not for ever.
    yield* Effect.timeoutOption(server.idle, "5 seconds")
  },
  Effect.scoped,
  Effect.provide(AgentLayers.ownCalls.pipe(Layer.provide(Approver.layerUnattended)))
)
