/**
 * The lexical index of a list of tools, built when it is first asked for and kept as long as somebody holds the list.
 * Lists are never changed: other tools are another list, and get another index.
 */
import type { ToolTable } from "@cow/core"
import * as LexicalIndex from "./LexicalIndex.ts"
import * as ToolDocument from "./ToolDocument.ts"

const indexes = new WeakMap<ReadonlyArray<ToolTable.RegisteredTool>, LexicalIndex.LexicalIndex>()

export const of = (tools: ReadonlyArray<ToolTable.RegisteredTool>): LexicalIndex.LexicalIndex => {
  const known = indexes.get(tools)
  if (known !== undefined) return known
  const built = LexicalIndex.build(tools.map(ToolDocument.fromTool))
  indexes.set(tools, built)
  return built
}
