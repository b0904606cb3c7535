/**
 * The six facts about a tool that policy decides by. Exactly these; a registration with another field is refused.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** Canonical worker names end in `_worker`. */
export const Specialist = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9]*(_[a-z0-9]+)*_worker$/, { message: "specialist_not_canonical" })
)

export const ToolSpec = Schema.Struct({
  /** The name shown to models. */
  name: Schema.String,
  /** Which worker the tool belongs to: `general_worker` for built-ins, `mcp_worker` for MCP tools. */
  specialist: Schema.String,
  /** The tool's own name at its source; for an MCP tool the name on the wire. */
  tool: Schema.String,
  requires_confirmation: Schema.Boolean,
  mutates_data: Schema.Boolean,
  /** The MCP server it comes from; `""` for built-in and plugin tools. */
  server: Schema.String
})
export type ToolSpec = typeof ToolSpec.Type

export class ToolSpecInvalid extends Schema.TaggedError<ToolSpecInvalid>()("ToolSpecInvalid", {
  reason: Schema.Literals(["unknown_field", "missing_field", "specialist_not_canonical"]),
  message: Schema.String
}) {}

const fields = ["name", "specialist", "tool", "requires_confirmation", "mutates_data", "server"]
const isCanonical = Schema.is(Specialist)

/** Fills the defaults (`false`, `false`, `""`). Fails with `ToolSpecInvalid` on a field that is not one of the six. */
export const make = (
  given: Pick<ToolSpec, "name" | "specialist" | "tool"> & Partial<ToolSpec>
): Result.Result<ToolSpec, ToolSpecInvalid> => {
  const extra = Object.keys(given).find((key) => !fields.includes(key))
  if (extra !== undefined)
    return Result.fail(
      new ToolSpecInvalid({ reason: "unknown_field", message: `a tool spec has no field "${extra}"` })
    )
  const missing = (["name", "tool"] as const).find(
    (key) => typeof given[key] !== "string" || given[key] === ""
  )
  if (missing !== undefined)
    return Result.fail(
      new ToolSpecInvalid({ reason: "missing_field", message: `a tool spec needs "${missing}"` })
    )
  if (!isCanonical(given.specialist)) {
    const near = nearestSpecialist(String(given.specialist))
    const message = `specialist "${given.specialist}" is not a canonical worker name; did you mean "${near}"?`
    return Result.fail(new ToolSpecInvalid({ reason: "specialist_not_canonical", message }))
  }
  return Result.succeed({ requires_confirmation: false, mutates_data: false, server: "", ...given })
}

/** The canonical name that was probably meant. */
const nearestSpecialist = (given: string): string => {
  const words = given
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "" && word !== "worker")
  const base = words
    .join("_")
    .replace(/worker$/, "")
    .replace(/^[0-9_]+/, "")
  return `${base || "general"}_worker`
}

/** True when a call of the tool neither changes anything nor needs a person. */
export const isReadOnly = (spec: ToolSpec): boolean => !spec.mutates_data && !spec.requires_confirmation
