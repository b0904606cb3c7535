/** A trial of one server, as `cow mcp test` does it: connect, list, close; nothing is published or left. */

import { ToolResult, ToolSpec } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { ServerEntry } from "../config/ServerEntry.ts"
import * as ServerRuntime from "../server/ServerRuntime.ts"
import * as ServerSupervisor from "../server/ServerSupervisor.ts"
import * as ServerTools from "../server/ServerTools.ts"

export interface TestedTool {
  /** As models would see it. */
  readonly name: string
  readonly wire_name: string
  readonly read_only: boolean
  readonly requires_confirmation: boolean
  readonly mutates_data: boolean
}

/** The document of `cow mcp test --json`. */
export interface TestReport {
  readonly ok: boolean
  readonly server: string
  readonly error: string | null
  readonly tool_count: number
  readonly tools: ReadonlyArray<TestedTool>
  /** Tools that cannot be used, with the reason. */
  readonly left_out: ReadonlyArray<{ readonly tool: string; readonly reason: string }>
  readonly elapsed_ms: number
}

/** Fails with one line, secrets hidden. */
export const run = (
  host: ServerRuntime.RuntimeHost,
  name: string,
  entry: ServerEntry,
  servers: ReadonlyArray<string>
): Effect.Effect<Result.Result<ServerTools.ServerTools, string>> => {
  const never = () => Effect.succeed(ToolResult.failed("a tried server answers no calls"))
  const view: ServerRuntime.RuntimeView = {
    name,
    entry: () => entry,
    servers: () => servers,
    published: () => Effect.void,
    offered: () => Effect.void,
    rested: Effect.void,
    standing: () => "it is only tried"
  }
  const runtime = ServerRuntime.make(host, view, never)
  let tools: ServerTools.ServerTools = { tools: [], leftOut: [], warnings: [] }
  return Effect.scoped(
    ServerSupervisor.establish({
      connectTimeoutSeconds: ServerRuntime.connectTimeoutOf(entry, host.settings),
      begin: Effect.void,
      permits: Semaphore.makeUnsafe(1),
      connect: runtime.connect,
      publish: (connection) =>
        Effect.mapError(connection.listTools, ServerRuntime.listFailed).pipe(
          Effect.flatMap((listed) =>
            ServerTools.make({ server: name, entry, servers, call: never }, listed, host.validator)
          ),
          Effect.map((made) => {
            tools = made
            return made.tools.length
          })
        ),
      report: () => Effect.void,
      clean: runtime.clean
    })
  ).pipe(
    Effect.map(() => tools),
    Effect.mapError((error) => runtime.clean(error.message)),
    Effect.result
  )
}

export const report = (
  server: string,
  outcome: Result.Result<ServerTools.ServerTools, string>,
  elapsedMillis: number
): TestReport => {
  const tools = Result.isSuccess(outcome) ? outcome.success.tools : []
  return {
    ok: Result.isSuccess(outcome),
    server,
    error: Result.isFailure(outcome) ? outcome.failure : null,
    tool_count: tools.length,
    tools: tools.map(({ name, spec }) => ({
      name,
      wire_name: spec.tool,
      read_only: ToolSpec.isReadOnly(spec),
      requires_confirmation: spec.requires_confirmation,
      mutates_data: spec.mutates_data
    })),
    left_out: Result.isSuccess(outcome)
      ? outcome.success.leftOut.map(({ reason, tool }) => ({ tool, reason }))
      : [],
    elapsed_ms: Math.round(elapsedMillis)
  }
}
