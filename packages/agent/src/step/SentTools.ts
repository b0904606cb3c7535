/**
 * The tools that a step sends, with what is made of them for the request, and their order. What an earlier step of the
 * session sent keeps its place, new ones follow at the end in the order of the table, and what is gone leaves a gap that
 * closes, so that provider caches keep hitting. Pure.
 *
 * While nothing changes the value is the very same, its lists too: with thousands of tools a step makes nothing anew.
 */
import { Tool, type ToolTable } from "@cow/core"
import * as ContextWindow from "./ContextWindow.ts"

type Visible = ReadonlyArray<ToolTable.RegisteredTool>

export interface SentTools {
  readonly registered: Visible
  readonly tools: ReadonlyArray<Tool.Tool>
  /** Frozen. */
  readonly names: ReadonlyArray<string>
  /** As a request carries them. */
  readonly definitions: ReadonlyArray<Tool.ToolDefinition>
  /** Of the definitions as JSON, estimated. */
  readonly tokens: number
  /** What it was made from. */
  readonly visible: Visible
  readonly wanted: ReadonlySet<string>
}

export const none: SentTools = {
  registered: [],
  tools: [],
  names: [],
  definitions: [],
  tokens: 0,
  visible: [],
  wanted: new Set()
}

/**
 * What the step before sent, where the session says only its names: it may have been another process's.
 *
 * @param seen what this process sent last in the session
 */
export const known = (seen: SentTools, names: ReadonlyArray<string>): SentTools => {
  const same =
    seen.names === names ||
    (seen.names.length === names.length && seen.names.every((name, at) => name === names[at]))
  return same ? seen : { ...none, names: Object.freeze([...names]) }
}

interface Facts {
  readonly definition: Tool.ToolDefinition
  readonly tokens: number
}

const facts = new WeakMap<Tool.Tool, Facts>()

const factsOf = (tool: Tool.Tool): Facts => {
  const known = facts.get(tool)
  if (known !== undefined) return known
  const definition = Tool.definition(tool)
  const made = { definition, tokens: ContextWindow.estimateText(JSON.stringify(definition)) }
  facts.set(tool, made)
  return made
}

const places = new WeakMap<Visible, ReadonlyMap<string, number>>()

/** Where each tool stands in the table, by its name. */
const placesOf = (visible: Visible): ReadonlyMap<string, number> => {
  const known = places.get(visible)
  if (known !== undefined) return known
  const made = new Map(visible.map(({ tool }, at) => [tool.name, at]))
  places.set(visible, made)
  return made
}

const sameNames = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean => {
  if (left === right) return true
  if (left.size !== right.size) return false
  for (const name of left) if (!right.has(name)) return false
  return true
}

const make = (before: SentTools, wanted: ReadonlySet<string>, visible: Visible): SentTools => {
  const at = placesOf(visible)
  const staying = before.names.filter((name) => wanted.has(name) && at.has(name))
  const old = new Set(staying)
  const fresh = [...wanted].filter((name) => at.has(name) && !old.has(name))
  fresh.sort((left, right) => (at.get(left) ?? 0) - (at.get(right) ?? 0))
  const registered = [...staying, ...fresh].flatMap((name) => visible[at.get(name) ?? -1] ?? [])
  const unchanged =
    registered.length === before.registered.length &&
    registered.length === before.names.length &&
    registered.every(({ tool }, place) => tool === before.tools[place])
  if (unchanged) return { ...before, visible, wanted }
  const all = registered.map(({ tool }) => factsOf(tool))
  return {
    registered,
    tools: registered.map(({ tool }) => tool),
    names: Object.freeze(registered.map(({ tool }) => tool.name)),
    definitions: all.map(({ definition }) => definition),
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
    visible,
    wanted
  }
}

/** What followed on what, so that a thousand sessions that take the same step hold one value. */
const followers = new WeakMap<SentTools, WeakMap<Visible, SentTools>>()

/**
 * @param before what the step before sent
 * @param wanted names of what this step sends; those that are not visible are passed over
 * @param visible in the order of the table: built-ins, plugins, MCP, each sorted by name
 */
export const next = (before: SentTools, wanted: ReadonlySet<string>, visible: Visible): SentTools => {
  if (before.visible === visible && sameNames(before.wanted, wanted)) return before
  const known = followers.get(before) ?? new WeakMap<Visible, SentTools>()
  const follower = known.get(visible)
  if (follower !== undefined && sameNames(follower.wanted, wanted)) return follower
  const made = make(before, wanted, visible)
  followers.set(before, known.set(visible, made))
  return made
}
