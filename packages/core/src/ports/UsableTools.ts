/**
 * Which tools of a table an asker may use, kept for as long as everything that rests on is the same: the table, who
 * asks, and the facts the gate decided by. A step asks for thousands of tools and mostly nothing has changed since the
 * last one; the very same list comes back then, so that what others make of it can be kept by it too.
 *
 * Whether a tool is usable is the gate's; a fact that changes (a grant, a server's state) is another value here.
 */
import * as Effect from "effect/Effect"
import type { GateAsker } from "../model/Decision.ts"
import type { RegisteredTool } from "../model/ToolTable.ts"

type Tools = ReadonlyArray<RegisteredTool>

interface Kept {
  readonly facts: ReadonlyArray<unknown>
  readonly usable: Tools
}

/** Askers of one table at most: personas, modes and workspaces. The one that has been there longest goes first. */
const maxAskers = 200

const same = (left: ReadonlyArray<unknown>, right: ReadonlyArray<unknown>): boolean =>
  left.length === right.length && left.every((one, at) => one === right[at])

export const make = () => {
  const tables = new WeakMap<Tools, Map<string, Kept>>()

  /**
   * @param facts compared one by one, by identity
   * @param judge gives those of the tools that are usable, in their order
   */
  return (
    { permission, persona, workspace }: GateAsker,
    tools: Tools,
    facts: ReadonlyArray<unknown>,
    judge: Effect.Effect<Tools>
  ): Effect.Effect<Tools> =>
    Effect.suspend(() => {
      const key = JSON.stringify([persona, permission, workspace])
      const askers = tables.get(tools) ?? new Map<string, Kept>()
      const known = askers.get(key)
      if (known !== undefined && same(known.facts, facts)) return Effect.succeed(known.usable)
      return Effect.map(judge, (found) => {
        const usable = shared(found, tools, askers.values())
        tables.set(tools, askers)
        askers.delete(key)
        askers.set(key, { facts, usable })
        for (const oldest of askers.keys()) {
          if (askers.size <= maxAskers) break
          askers.delete(oldest)
        }
        return usable
      })
    })
}

/** The list that others have of the same tools: a thousand sessions hold one. */
const shared = (found: Tools, all: Tools, others: Iterable<Kept>): Tools => {
  if (same(found, all)) return all
  for (const { usable } of others) if (same(usable, found)) return usable
  return found
}
