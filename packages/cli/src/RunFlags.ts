/** The flags of the commands that run something: `run`, `chat`, `approve`, `tools`, `mcp`. */
import { Permission } from "@cow/core"
import * as Flag from "effect/cli/Flag"

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("One JSON document on stdout"),
  Flag.withDefault(false),
  Flag.withoutNegation
)

export const persona = Flag.String("persona").pipe(
  Flag.withMetavar("ID"),
  Flag.withDescription("Who the run acts for"),
  Flag.withDefault("default")
)

export const permission = Flag.Literals("permission", Permission.PermissionMode.literals).pipe(
  Flag.withDescription("How far a run may go without asking"),
  Flag.optional
)

export const model = Flag.String("model").pipe(
  Flag.withMetavar("PROVIDER/MODEL"),
  Flag.withDescription("The model; see `cow doctor` for the one found"),
  Flag.optional
)

export const output = Flag.Literals("output", ["text", "json"]).pipe(
  Flag.withDescription("text: the answer; json: one event a line"),
  Flag.withDefault("text")
)

const seconds = (flag: Flag.Flag<number>) =>
  Flag.filter(
    flag,
    (value) => value >= 0,
    (value) => `a number of seconds, not ${value}`
  )

export const mcpWait = Flag.Finite("mcp-wait").pipe(
  seconds,
  Flag.withMetavar("SECONDS"),
  Flag.withDescription("How long to wait for MCP servers before starting"),
  Flag.optional
)

/** Names joined by commas; may be given more than once. */
export const requireMcp = Flag.String("require-mcp").pipe(
  Flag.withMetavar("A,B"),
  Flag.withDescription("MCP servers that must be ready"),
  Flag.atLeast(0),
  Flag.map((lists) => [
    ...new Set(
      lists
        .flatMap((list) => list.split(","))
        .map((name) => name.trim())
        .filter((name) => name !== "")
    )
  ])
)

export const servers = { requireMcp, mcpWait }

export const run = {
  model,
  persona,
  permission,
  session: Flag.String("session").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("Continue this session, or start it under this id"),
    Flag.optional
  ),
  continue: Flag.Boolean("continue").pipe(
    Flag.withDescription("Continue the last session of this folder"),
    Flag.withDefault(false),
    Flag.withoutNegation
  ),
  maxSteps: Flag.Int("max-steps").pipe(
    Flag.filter(
      (value) => value >= 1,
      (value) => `a whole number of at least 1, not ${value}`
    ),
    Flag.withMetavar("N"),
    Flag.withDescription("Tool rounds before the last answer"),
    Flag.optional
  ),
  output,
  ...servers
}
