/** What a request says of tools and what that weighs, remembered for each tool: thousands are asked for in every step. */
import { Tool, type ToolTable } from "@cow/core"
import * as ContextWindow from "../step/ContextWindow.ts"

interface Facts {
  readonly definition: Tool.ToolDefinition
  /** Of the definition as JSON, estimated. */
  readonly tokens: number
}

const facts = new WeakMap<Tool.Tool, Facts>()

export const of = (tool: Tool.Tool): Facts => {
  const known = facts.get(tool)
  if (known !== undefined) return known
  const definition = Tool.definition(tool)
  const made = { definition, tokens: ContextWindow.estimateText(JSON.stringify(definition)) }
  facts.set(tool, made)
  return made
}

const allNames = new WeakMap<ToolTable.ToolTable, ReadonlySet<string>>()

/** Names of the visible tools of a table; the very same set as long as all of the same table are visible. */
export const names = (
  table: ToolTable.ToolTable,
  visible: ReadonlyArray<ToolTable.RegisteredTool>
): ReadonlySet<string> => {
  const all = visible.length === table.tools.length
  const known = all ? allNames.get(table) : undefined
  if (known !== undefined) return known
  const made = new Set(visible.map(({ tool }) => tool.name))
  if (all) allNames.set(table, made)
  return made
}
