/** `cow mcp list|get|test`: how the MCP servers of this folder stand. Changing them is `mcpEdit`. */
import { McpManager, type ServerDetails, type ServerInfo, type ServerNotFound } from "@cow/mcp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CommandFailed, ExitCode, failed } from "../command/ExitCode.ts"
import * as ServerLayers from "../layers/ServerLayers.ts"
import * as ServerWait from "../run/ServerWait.ts"
import { Output } from "../terminal/Output.ts"
import { counted } from "../terminal/Printable.ts"
import * as Table from "../terminal/Table.ts"

const notFound = { ServerNotFound: ({ message }: ServerNotFound) => failed(message, ExitCode.badInput) }

export const audience = (ids: ReadonlyArray<string>): string =>
  ids.includes("*") ? "open to every persona" : ids.length === 0 ? "nobody" : ids.join(", ")

/** The whole of it is in `cow mcp get`. */
const maxTargetCells = 60

const row = ({ allowed_persona_ids, error, name, status, target, tools, transport }: ServerInfo) => [
  name,
  status,
  transport,
  String(tools),
  audience(allowed_persona_ids),
  Table.cut(target, maxTargetCells),
  error ?? ""
]

export const list = Effect.fnUntraced(function* (flags: ServerWait.WaitFlags & { readonly json: boolean }) {
  const output = yield* Output
  const manager = yield* McpManager
  yield* ServerWait.before(flags, ServerWait.usualSeconds)
  const servers = yield* manager.list
  if (flags.json) return yield* output.json({ servers })
  yield* output.text(
    Table.render(["NAME", "STATUS", "TRANSPORT", "TOOLS", "ALLOWED", "RUNS", "ERROR"], servers.map(row))
  )
  yield* ServerWait.tellInterrupted
  for (const { logged, message, path, severity } of yield* manager.diagnostics)
    if (!logged) yield* output.note(`cow: ${severity}: ${path}: ${message}`)
}, Effect.provide(ServerLayers.serversAlone))

const described = (server: ServerDetails): string =>
  [
    `${server.name}  ${server.status}${server.error === null ? "" : `: ${server.error}`}`,
    `tools     ${server.tools}`,
    `allowed   ${audience(server.allowed_persona_ids)}`,
    `source    ${server.source}`,
    ...(server.pid === null ? [] : [`pid       ${server.pid}`]),
    ...(server.protocol === null ? [] : [`protocol  ${server.protocol}`]),
    `entry     ${JSON.stringify(server.entry)}`
  ].join("\n")

export const get = Effect.fnUntraced(
  function* (flags: { readonly name: string; readonly json: boolean } & ServerWait.WaitFlags) {
    const output = yield* Output
    const manager = yield* McpManager
    yield* manager.get(flags.name)
    const seconds = Option.getOrElse(flags.mcpWait, () => ServerWait.usualSeconds)
    yield* manager.waitSettled(seconds, [flags.name])
    const server = yield* manager.get(flags.name)
    yield* flags.json ? output.json(server) : output.text(described(server))
  },
  Effect.catchTags(notFound),
  Effect.provide(ServerLayers.serversAlone)
)

const tried = Effect.fnUntraced(
  function* (name: string) {
    return yield* Effect.flatMap(McpManager, (manager) => manager.test(name))
  },
  Effect.catchTags(notFound),
  Effect.provide(ServerLayers.serversAlone)
)

/** Exit 0 when the server answers, else 1; the document says why. */
export const test = Effect.fnUntraced(function* (flags: { readonly name: string; readonly json: boolean }) {
  const output = yield* Output
  const report = yield* tried(flags.name)
  if (flags.json) yield* output.json(report)
  else if (report.ok) {
    const lines = report.tools.map(({ name, read_only, wire_name }) => [
      name,
      wire_name,
      read_only ? "reads" : "writes"
    ])
    yield* output.text(
      `${report.server} answers with ${counted(report.tool_count, "tool")} in ${report.elapsed_ms} ms\n\n${Table.render(["NAME", "OWN NAME", "MAY"], lines)}`
    )
    for (const { reason, tool } of report.left_out)
      yield* output.note(`cow: tool "${tool}" of server ${report.server} is left out: ${reason}`)
  }
  if (!report.ok)
    return yield* flags.json
      ? new CommandFailed({ code: ExitCode.failure, message: "" })
      : failed(`server ${report.server} does not answer: ${report.error}`)
})
