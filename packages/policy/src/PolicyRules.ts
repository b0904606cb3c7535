/**
 * Policy rows and how they are read: which of several rows decides about a capability. Pure.
 *
 * Capability ids are `builtin/<tool>`, `plugin/<tool>`, `mcp/<server>/<tool>`, `skill/<name>`, and the wildcards
 * `builtin/*`, `plugin/*`, `mcp/<server>/*`. A row never replaces a grant: that both hold is `Decide`.
 */
import type { ToolTable } from "@cow/core"

/** Allows or forbids one capability to one persona, or to all of them (`*`). */
export interface PolicyRow {
  readonly persona: string
  readonly capability: string
  readonly allowed: boolean
}

/** Percent-encodes what would be read as structure. */
const encode = (part: string): string =>
  part.replace(/[%/*]/g, (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`)

export const serverCapability = (server: string): string => `mcp/${encode(server)}/*`

/** The two ids that rows may name a tool by. MCP tools go by their name on the wire. */
export const capabilitiesOf = ({
  source,
  tool
}: ToolTable.RegisteredTool): { readonly exact: string; readonly wildcard: string } => {
  switch (source._tag) {
    case "Builtin":
      return { exact: `builtin/${encode(tool.name)}`, wildcard: "builtin/*" }
    case "Plugin":
      return { exact: `plugin/${encode(tool.name)}`, wildcard: "plugin/*" }
    case "Mcp":
      return {
        exact: `mcp/${encode(source.server)}/${encode(tool.spec.tool)}`,
        wildcard: serverCapability(source.server)
      }
  }
}

/** `row`: the one that decided; null where none speaks of the tool and its class decides. */
export interface Ruling {
  readonly allowed: boolean
  readonly row: PolicyRow | null
}

/**
 * The ruling for a persona: 1. its own row for the very tool; 2. its wildcard row and everyone's row for the very
 * tool, of which one `false` is enough to forbid; 3. everyone's wildcard row; 4. `fallback`.
 */
export const evaluate = (
  rows: ReadonlyArray<PolicyRow>,
  persona: string,
  { exact, wildcard }: { readonly exact: string; readonly wildcard: string },
  fallback: boolean
): Ruling => {
  const find = (who: string, capability: string) =>
    rows.find((row) => row.persona === who && row.capability === capability)
  const own = find(persona, exact)
  if (own !== undefined) return { allowed: own.allowed, row: own }
  const middle = [find(persona, wildcard), find("*", exact)].filter((row) => row !== undefined)
  const row = middle.find(({ allowed }) => !allowed) ?? middle[0] ?? find("*", wildcard)
  return row === undefined ? { allowed: fallback, row: null } : { allowed: row.allowed, row }
}
