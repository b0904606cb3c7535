/**
 * The order in which a session's tools are sent. What an earlier step sent keeps its place, new ones follow at the
 * end in the order of the table, and what is gone leaves a gap that closes, so that provider caches keep hitting.
 * Pure.
 */
import type { ToolTable } from "@cow/core"

/**
 * @param before names in the order in which the step before sent them
 * @param names what this step sends
 * @param visible in the order of the table: built-ins, plugins, MCP, each sorted by name
 */
export const order = (
  before: ReadonlyArray<string>,
  names: ReadonlySet<string>,
  visible: ReadonlyArray<ToolTable.RegisteredTool>
): ReadonlyArray<ToolTable.RegisteredTool> => {
  const sendable = new Map(
    visible.filter(({ tool }) => names.has(tool.name)).map((one) => [one.tool.name, one])
  )
  const staying = before.flatMap((name) => sendable.get(name) ?? [])
  const old = new Set(before)
  return [...staying, ...[...sendable.values()].filter(({ tool }) => !old.has(tool.name))]
}
