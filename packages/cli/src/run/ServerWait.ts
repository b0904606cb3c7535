/**
 * Waiting for MCP servers before a command starts, and what a required one that is not ready means for the exit
 * code. How long there is hope is `McpManager`'s.
 */
import { AgentLimits } from "@cow/agent"
import { NearNames } from "@cow/core"
import { McpManager, type UnreadyServer } from "@cow/mcp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ExitCode, failed } from "../command/ExitCode.ts"
import { QuietFlag } from "../command/GlobalFlags.ts"
import { Output } from "../terminal/Output.ts"

/** Seconds that are waited when servers are required, or are what the command is about. */
export const usualSeconds = 10

export interface WaitFlags {
  readonly requireMcp: ReadonlyArray<string>
  readonly mcpWait: Option.Option<number>
}

const refusal = ({ error, name, status }: UnreadyServer, names: ReadonlyArray<string>) => {
  switch (status) {
    case "unknown":
      return failed(`there is no MCP server "${name}"${NearNames.hint(name, names)}`, ExitCode.serverNotReady)
    case "untrusted":
      return failed(
        `MCP server "${name}" belongs to a project that is not trusted; look at what it runs, then: cow trust`,
        ExitCode.untrusted
      )
    default:
      return failed(
        `required MCP server "${name}" is ${status}${error === null ? "" : `: ${error}`}`,
        ExitCode.serverNotReady
      )
  }
}

/**
 * Says on stderr which servers end with this command in the middle of their start. They are not waited for: one that
 * installs itself may take minutes, and another may never come.
 */
export const tellInterrupted = Effect.gen(function* () {
  if (yield* QuietFlag) return
  const servers = yield* Effect.flatMap(McpManager, (manager) => manager.list)
  const names = servers.filter(({ status }) => status === "starting").map(({ name }) => name)
  if (names.length > 0)
    yield* Effect.flatMap(Output, (output) =>
      output.note(
        `cow: ${names.join(", ")} still starting, and stopped now with this command; --mcp-wait SECONDS waits longer`
      )
    )
})

/** What was said about waiting counts in place of what a run waits by itself. */
export const asSaid =
  ({ mcpWait, requireMcp }: WaitFlags) =>
  <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Option.isNone(mcpWait) && requireMcp.length === 0
      ? run
      : run.pipe(
          Effect.provideService(AgentLimits.serverStartMillis, 0),
          Effect.provideService(AgentLimits.serverCallSeconds, 0)
        )

/** Fails with exit 56, or 55 where a folder is not trusted, when a required server is not ready in time. */
export const before = Effect.fnUntraced(function* ({ mcpWait, requireMcp }: WaitFlags, otherwise = 0) {
  const manager = yield* McpManager
  const seconds = Option.getOrElse(mcpWait, () => (requireMcp.length > 0 ? usualSeconds : otherwise))
  if (seconds === 0 && requireMcp.length === 0) return
  const [unready] = yield* manager.waitSettled(seconds, requireMcp)
  if (unready === undefined) return
  const names = (yield* manager.list).map(({ name }) => name)
  return yield* refusal(unready, names)
})
