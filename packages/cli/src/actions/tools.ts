/** `cow tools …`: the tools of this folder, who may use them and why not, and a call by hand. */
import { Agent, type CallOutcome } from "@cow/agent"
import {
  Approver,
  type Message,
  type Permission,
  ToolGate,
  ToolManager,
  ToolResult,
  type ToolTable
} from "@cow/core"
import { McpManager, ToolName } from "@cow/mcp"
import { Explain } from "@cow/policy"
import { ToolSearch } from "@cow/retrieval"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as AgentLayers from "../AgentLayers.ts"
import { Configuration } from "../Configuration.ts"
import { CommandFailed, ExitCode, failed } from "../ExitCode.ts"
import * as Jsonc from "../Jsonc.ts"
import { Output } from "../Output.ts"
import * as PermissionChoice from "../PermissionChoice.ts"
import { visible } from "../Printable.ts"
import * as RunSetup from "../RunSetup.ts"
import * as ServerWait from "../ServerWait.ts"
import * as StandardInput from "../StandardInput.ts"
import * as Table from "../Table.ts"

interface Who extends ServerWait.WaitFlags {
  readonly persona: string
  readonly permission: Option.Option<Permission.PermissionMode>
  readonly json: boolean
}

/** For whom, where, and how far: what every question about tools depends on. */
const scene = Effect.fnUntraced(function* (flags: Who) {
  const { workspace } = yield* Configuration
  const persona = yield* RunSetup.knownPersona(flags.persona)
  return { persona, permission: yield* PermissionChoice.choose(flags.permission), workspace }
})

const sourceOf = ({ source }: ToolTable.RegisteredTool): "builtin" | "mcp" | "plugin" =>
  source._tag === "Builtin" ? "builtin" : source._tag === "Mcp" ? "mcp" : "plugin"

const rows = Effect.fnUntraced(function* (flags: Who) {
  const asked = yield* scene(flags)
  yield* ServerWait.before(flags, ServerWait.usualSeconds)
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
        read_only: !spec.mutates_data && !spec.requires_confirmation,
        requires_confirmation: spec.requires_confirmation,
        mutates_data: spec.mutates_data,
        allowed: decision._tag !== "Deny",
        reason: decision._tag === "Deny" ? decision.reason : null
      }
    })
  )
})

export const list = Effect.fnUntraced(function* (flags: Who) {
  const output = yield* Output
  const tools = yield* rows(flags)
  const leftOut = yield* Effect.flatMap(McpManager, (manager) => manager.leftOutTools)
  if (flags.json) return yield* output.json({ tools, left_out: leftOut })
  const lines = tools.map(({ allowed, description, name, reason, read_only, server, source }) => [
    name,
    server || source,
    allowed ? (read_only ? "reads" : "writes") : (reason ?? "denied"),
    description.split("\n")[0]?.slice(0, 100) ?? ""
  ])
  yield* output.text(Table.render(["NAME", "FROM", "MAY", "DESCRIPTION"], lines))
  for (const { reason, server, tool } of leftOut)
    yield* output.note(`cow: tool "${tool}" of server ${server} is left out: ${reason}`)
}, Effect.provide(AgentLayers.tools))

export const search = Effect.fnUntraced(
  function* (flags: Who & { readonly query: string; readonly topK: number }) {
    const output = yield* Output
    const asked = yield* scene(flags)
    yield* ServerWait.before(flags, ServerWait.usualSeconds)
    const answer = yield* Effect.flatMap(ToolSearch, (tools) =>
      tools.search({ ...asked, query: flags.query, topK: flags.topK })
    )
    if (flags.json) return yield* output.json(answer)
    const lines = answer.results.map(({ name, score, server }) => [name, server, score.toFixed(3)])
    yield* output.text(Table.render(["NAME", "SERVER", "SCORE"], lines))
  },
  Effect.provide(ToolSearch.layer.pipe(Layer.provideMerge(AgentLayers.tools)))
)

export const explain = Effect.fnUntraced(
  function* (flags: Who & { readonly name: string }) {
    const output = yield* Output
    const asked = yield* scene(flags)
    yield* ServerWait.before(flags, ServerWait.usualSeconds)
    const found = yield* Effect.flatMap(Explain, (policy) => policy.explain({ ...asked, name: flags.name }))
    if (flags.json) return yield* output.json(found)
    const verdict = found.allowed
      ? found.requires_confirmation
        ? "allowed, asked each time"
        : "allowed"
      : "refused"
    const steps = found.steps.map(({ check, detail, fix, ok }) => [
      ok ? "ok" : "no",
      check,
      detail,
      fix ?? ""
    ])
    yield* output.text(
      `${found.tool} for ${found.persona}: ${verdict}\n\n${Table.render(["", "CHECK", "DETAIL", "FIX"], steps)}`
    )
  },
  Effect.provide(Explain.layer.pipe(Layer.provideMerge(AgentLayers.tools)))
)

/** What of a tool's name a cut for length always leaves. */
const ownPart = 50

/** The servers whose tool it may be; two whose names clean to the same both count. */
const serversOf = Effect.fnUntraced(function* (tool: string) {
  const manager = yield* McpManager
  const names = (yield* manager.list).map(({ name }) => name)
  return names.filter((name) => tool.startsWith(`mcp__${ToolName.clean(name)}__`.slice(0, ownPart)))
})

const inputOf = Effect.fnUntraced(function* (given: string) {
  const text = given === "-" ? yield* StandardInput.whole : given
  const parsed = Jsonc.parse(text)
  if (Result.isFailure(parsed))
    return yield* failed(
      `--input is no JSON: line ${parsed.failure.line}, column ${parsed.failure.column}: ${parsed.failure.message}`,
      ExitCode.badInput
    )
  return parsed.success.value
})

type CallInput = Who & { readonly name: string; readonly input: string }

const make = Effect.fnUntraced(
  function* (flags: CallInput, input: Message.JsonObject[string]) {
    const asked = yield* scene(flags)
    const manager = yield* McpManager
    const needed = [...flags.requireMcp, ...(yield* serversOf(flags.name))]
    const wait = flags.mcpWait._tag === "Some" ? flags.mcpWait.value : ServerWait.usualSeconds
    // Whether its server is ready is for the gate to say, as for a model's call.
    if (needed.length > 0) yield* manager.waitSettled(wait, needed)
    return yield* Effect.flatMap(Agent, (agent) => agent.call({ ...asked, name: flags.name, input }))
  },
  Effect.provide(AgentLayers.calls.pipe(Layer.provide(Approver.layerUnattended)))
)

const document = ({ content, durationMs, result, tool }: CallOutcome) => ({
  tool,
  status: ToolResult.statusOf(result),
  content: content.map((part) =>
    part.type === "image" ? { type: "image", media_type: part.mediaType, data: part.data } : part
  ),
  structured: "structured" in result ? (result.structured ?? null) : null,
  duration_ms: durationMs
})

export const call = Effect.fnUntraced(function* (flags: CallInput) {
  const output = yield* Output
  const outcome = yield* make(flags, yield* inputOf(flags.input))
  const { content, status, ...rest } = document(outcome)
  if (flags.json)
    yield* output.json({
      tool: rest.tool,
      status,
      content,
      structured: rest.structured,
      duration_ms: rest.duration_ms
    })
  else for (const part of content) yield* output.text("text" in part ? visible(part.text) : `(${part.type})`)
  if (outcome.runId !== null) {
    yield* output.note(
      `cow: the call waits for approval: cow approve ${outcome.runId} or cow deny ${outcome.runId}`
    )
    return yield* new CommandFailed({ code: ExitCode.waitingApproval, message: "" })
  }
  if (status !== "ok") return yield* failed(`${flags.name} ended with ${status}`)
})
