/** The flags of the commands that run something: `run`, `chat`, `approve`, `tools`, `mcp`. */
import { Permission } from "@cow/core"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"

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

/** A number of at least 0 that fits; `what` it is says the message about any other. */
export const number = (name: string, what: string, fits: (value: number) => boolean): Flag.Flag<number> =>
  Flag.String(name).pipe(
    Flag.filterMap(
      (text) =>
        /^\d{1,15}(\.\d+)?$/.test(text) && fits(Number(text)) ? Option.some(Number(text)) : Option.none(),
      () => what
    )
  )

/** A whole number of at least 1. */
export const count = (name: string): Flag.Flag<number> =>
  number(name, "a whole number of at least 1", (value) => Number.isInteger(value) && value >= 1)

export const mcpWait = number("mcp-wait", "a number of seconds", () => true).pipe(
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
  wait: Flag.Boolean("wait").pipe(
    Flag.withDescription("Wait until no other process works on the session; Ctrl-C ends the waiting"),
    Flag.withDefault(false),
    Flag.withoutNegation
  ),
  maxSteps: count("max-steps").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Tool rounds before the last answer"),
    Flag.optional
  ),
  output,
  ...servers
}
