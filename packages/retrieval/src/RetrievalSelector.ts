/**
 * The layer of core's `ToolSelector` that this package gives: which tools a step sends.
 *
 * It sends every tool, and says why. Ranking tools is `LexicalIndex`, over the text of `SelectionQuery`.
 */
import { type SelectionRequest, selectAll, ToolSelector } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface RetrievalSettings {
  readonly enabled: boolean
  /** Choosing starts above this many MCP tools. */
  readonly threshold: number
  /** MCP tools added in a step at most. */
  readonly topK: number
}

const counts = new WeakMap<SelectionRequest["visible"], number>()

const mcpCount = (visible: SelectionRequest["visible"]): number => {
  const known = counts.get(visible)
  if (known !== undefined) return known
  const count = visible.filter(({ source }) => source._tag === "Mcp").length
  counts.set(visible, count)
  return count
}

const reason = ({ enabled, threshold }: RetrievalSettings, { visible }: SelectionRequest): string => {
  if (!enabled) return "retrieval is off"
  const count = mcpCount(visible)
  return count <= threshold
    ? `${count} MCP tools, no more than the threshold of ${threshold}`
    : `all ${count} MCP tools are sent; this version does not choose among them`
}

export const layer = (settings: RetrievalSettings): Layer.Layer<ToolSelector> =>
  Layer.succeed(ToolSelector, {
    select: (request) => Effect.sync(() => selectAll(request, reason(settings, request)))
  })
