/**
 * What a session remembers about its tools between steps and runs, in this process: the order they were sent in,
 * which were chosen, and which there were.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"

export interface SessionTools {
  /** Names in the order in which the last step sent them. */
  readonly sent: ReadonlyArray<string>
  /** Names chosen by relevance in some step. */
  readonly chosen: ReadonlySet<string>
  /** Names of the tools there were at the last step; null before the first. */
  readonly visible: ReadonlySet<string> | null
}

export const none: SessionTools = { sent: [], chosen: new Set(), visible: null }

/** Sessions remembered at most; the longest unused is forgotten first. */
const maxSessions = 10_000

export const makeMemory = Effect.map(Ref.make<ReadonlyMap<string, SessionTools>>(new Map()), (memory) => ({
  get: (sessionId: string) => Effect.map(Ref.get(memory), (all) => all.get(sessionId) ?? none),
  set: (sessionId: string, tools: SessionTools) =>
    Ref.update(memory, (all) => {
      const next = new Map(all)
      next.delete(sessionId)
      next.set(sessionId, tools)
      for (const id of next.keys()) {
        if (next.size <= maxSessions) break
        next.delete(id)
      }
      return next
    })
}))

export type SessionToolsMemory = Effect.Success<typeof makeMemory>

/** What came and went since the last step, each sorted; null when nothing did, or there was no step before. */
export const changes = (before: SessionTools, now: ReadonlySet<string>) => {
  if (before.visible === null) return null
  const old = before.visible
  const added = [...now].filter((name) => !old.has(name)).sort()
  const removed = [...old].filter((name) => !now.has(name)).sort()
  return added.length + removed.length === 0 ? null : { added, removed }
}
