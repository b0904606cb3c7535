/** `cow tools call`: one call through the same checks as a model's. */
import { Agent, type CallOutcome } from "@cow/agent"
import { Approver, Jsonc, McpToolName, ToolResult } from "@cow/core"
import { McpManager } from "@cow/mcp"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { CommandFailed, ExitCode, failed } from "../command/ExitCode.ts"
import * as AgentLayers from "../layers/AgentLayers.ts"
import * as ServerWait from "../run/ServerWait.ts"
import * as ToolScene from "../run/ToolScene.ts"
import { Output } from "../terminal/Output.ts"
import * as StandardInput from "../terminal/StandardInput.ts"

/** The servers whose tool it may be; two whose names clean to the same both count. */
const serversOf = Effect.fnUntraced(function* (tool: string) {
  const manager = yield* McpManager
  const names = (yield* manager.list).map(({ name }) => name)
  return names.filter((name) => McpToolName.mayBelongTo(name, tool))
})

const inputOf = Effect.fnUntraced(function* (given: string) {
  const text = given === "-" ? yield* StandardInput.whole : given
  if (text.trim() === "") return yield* failed("--input is no JSON: it is empty", ExitCode.badInput)
  const parsed = Jsonc.parse(text)
  if (Result.isFailure(parsed))
    return yield* failed(
      `--input is no JSON: line ${parsed.failure.line}, column ${parsed.failure.column}: ${parsed.failure.message}`,
      ExitCode.badInput
    )
  return parsed.success.value
})

type CallInput = ToolScene.ToolFlags & { readonly name: string; readonly input: string }

const document = ({ content, durationMs, result, tool }: CallOutcome) => ({
  tool,
  status: ToolResult.statusOf(result),
  content: content.map((part) =>
    part.type === "image" ? { type: "image", media_type: part.mediaType, data: part.data } : part
  ),
  structured: "structured" in result ? (result.structured ?? null) : null,
  duration_ms: durationMs
})

const show = Effect.fnUntraced(function* (flags: CallInput, outcome: CallOutcome, persona: string) {
  const output = yield* Output
  const shown = document(outcome)
  if (flags.json) yield* output.json(shown)
  else for (const part of shown.content) yield* output.text("text" in part ? part.text : `(${part.type})`)
  if (outcome.runId !== null) {
    yield* output.note(
      `cow: the call waits for approval: cow approve ${outcome.runId} or cow deny ${outcome.runId}`
    )
    return yield* new CommandFailed({ code: ExitCode.waitingApproval, message: "" })
  }
  if (shown.status === "ok") return
  yield* ToolScene.noTool(flags.name, persona)
  return yield* failed(`${flags.name} ended with ${shown.status}`)
})

/** The answer is shown before the servers are ended. */
export const call = Effect.fnUntraced(
  function* (flags: CallInput) {
    const input = yield* inputOf(flags.input)
    const asked = yield* ToolScene.make(flags)
    const manager = yield* McpManager
    const needed = [...flags.requireMcp, ...(yield* serversOf(flags.name))]
    const wait = Option.getOrElse(flags.mcpWait, () => ServerWait.usualSeconds)
    // Whether its server is ready is for the gate to say, as for a model's call.
    if (needed.length > 0) yield* manager.waitSettled(wait, needed)
    const agent = yield* Agent
    yield* show(flags, yield* agent.call({ ...asked, name: flags.name, input }), asked.persona)
  },
  Effect.provide(AgentLayers.calls.pipe(Layer.provide(Approver.layerUnattended)))
)
