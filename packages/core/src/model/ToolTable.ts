/**
 * The one table of tools, as a value: which registration wins a name, and what was refused.
 *
 * Pure. Built-ins come before plugins before MCP servers, whoever registered first in time; inside a class the
 * source's order, then its id decide, so the same registrations in any order give the same table. The living
 * table is `ToolManager`.
 */
import type { Tool } from "./Tool.ts"

/** Where a tool comes from. `order` of a plugin is its place in the configuration. */
export type ToolSource =
  | { readonly _tag: "Builtin" }
  | { readonly _tag: "Plugin"; readonly id: string; readonly order: number }
  | { readonly _tag: "Mcp"; readonly server: string }

export interface RegisteredTool {
  readonly tool: Tool
  readonly source: ToolSource
}

/** A tool that was not taken into the table. */
export interface RefusedTool {
  readonly name: string
  readonly source: ToolSource
  /** `taken`: another source holds the name. `reserved`: the name is another class's. `duplicate`: twice in one source. */
  readonly reason: "taken" | "reserved" | "duplicate"
  /** The source that holds the name, where there is one. */
  readonly by?: ToolSource
}

export interface Registration {
  readonly source: ToolSource
  readonly tools: ReadonlyArray<Tool>
}

/** Immutable. Tools stand as they are first sent: built-ins, plugins, MCP, each sorted by name. */
export interface ToolTable {
  readonly revision: number
  readonly tools: ReadonlyArray<RegisteredTool>
  readonly byName: ReadonlyMap<string, RegisteredTool>
  readonly refused: ReadonlyArray<RefusedTool>
}

export const empty: ToolTable = { revision: 0, tools: [], byName: new Map(), refused: [] }

const classOf: Record<ToolSource["_tag"], number> = { Builtin: 0, Plugin: 1, Mcp: 2 }
const placeOf = (source: ToolSource): number => (source._tag === "Plugin" ? source.order : 0)
const idOf = (source: ToolSource): string =>
  source._tag === "Plugin" ? source.id : source._tag === "Mcp" ? source.server : ""

const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

const bySource = (left: ToolSource, right: ToolSource): number =>
  classOf[left._tag] - classOf[right._tag] ||
  placeOf(left) - placeOf(right) ||
  byText(idOf(left), idOf(right))

/** Names that begin with `mcp__` belong to MCP servers, all others do not. */
const isReserved = (name: string, source: ToolSource): boolean =>
  name.startsWith("mcp__") !== (source._tag === "Mcp")

/** The table of these registrations. Its revision is that of `before`, one higher if any tool differs. */
export const build = (registrations: Iterable<Registration>, before: ToolTable = empty): ToolTable => {
  const byName = new Map<string, RegisteredTool>()
  const refused: Array<RefusedTool> = []
  for (const { source, tools } of [...registrations].sort((left, right) =>
    bySource(left.source, right.source)
  ))
    for (const tool of tools) {
      const holder = byName.get(tool.name)
      if (isReserved(tool.name, source)) refused.push({ name: tool.name, source, reason: "reserved" })
      else if (holder === undefined) byName.set(tool.name, { tool, source })
      else {
        const reason = holder.source === source ? "duplicate" : "taken"
        refused.push({ name: tool.name, source, reason, by: holder.source })
      }
    }
  const tools = [...byName.values()].sort(
    (left, right) =>
      classOf[left.source._tag] - classOf[right.source._tag] || byText(left.tool.name, right.tool.name)
  )
  const same =
    tools.length === before.tools.length && tools.every(({ tool }, at) => tool === before.tools[at]?.tool)
  return { revision: same ? before.revision : before.revision + 1, tools, byName, refused }
}

const own = new WeakMap<ToolTable, ToolTable>()

/** The table without the tools of MCP servers: what a restricted run resolves its calls against. */
export const withoutServers = (table: ToolTable): ToolTable => {
  const known = own.get(table)
  if (known !== undefined) return known
  const made = only(table, ({ source }) => source._tag !== "Mcp")
  own.set(table, made)
  return made
}

const workers = new WeakMap<ToolTable, ToolTable>()

/** The table without what hands work to a worker: what a worker's calls are resolved against. */
export const withoutDelegation = (table: ToolTable): ToolTable => {
  const known = workers.get(table)
  if (known !== undefined) return known
  const made = only(table, ({ tool }) => tool.role !== "delegate")
  workers.set(table, made)
  return made
}

const only = (table: ToolTable, keep: (registered: RegisteredTool) => boolean): ToolTable => {
  const tools = table.tools.filter(keep)
  return { ...table, tools, byName: new Map(tools.map((one) => [one.tool.name, one])) }
}

const allNames = new WeakMap<ReadonlyArray<RegisteredTool>, ReadonlySet<string>>()

/** Names of the tools; for one list always the very same set. */
export const namesOf = (tools: ReadonlyArray<RegisteredTool>): ReadonlySet<string> => {
  const known = allNames.get(tools)
  if (known !== undefined) return known
  const made = new Set(tools.map(({ tool }) => tool.name))
  allNames.set(tools, made)
  return made
}

export interface ToolsChanged {
  /** Sorted. A tool whose definition changed is in neither list. */
  readonly added: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
}

export const difference = (before: ToolTable, after: ToolTable): ToolsChanged => ({
  added: [...after.byName.keys()].filter((name) => !before.byName.has(name)).sort(),
  removed: [...before.byName.keys()].filter((name) => !after.byName.has(name)).sort()
})
