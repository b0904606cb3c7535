/**
 * What a session remembers about its tools between steps and runs, in this process: the order they were sent in,
 * which were chosen, and which there were.
 */
import * as Effect from "effect/Effect"
import * as SentTools from "./SentTools.ts"

export interface SessionTools {
  /** What the last step sent. */
  readonly sent: SentTools.SentTools
  /** Names chosen by relevance in some step. */
  readonly chosen: ReadonlySet<string>
  /** Names of the tools there were at the last step; null before the first. */
  readonly visible: ReadonlySet<string> | null
}

export const none: SessionTools = { sent: SentTools.none, chosen: new Set(), visible: null }

/** Sessions remembered at most; the longest unused is forgotten first. */
const maxSessions = 10_000

export const makeMemory = Effect.sync(() => {
  const sessions = new Map<string, SessionTools>()
  return {
    get: (sessionId: string) => Effect.sync(() => sessions.get(sessionId) ?? none),
    set: (sessionId: string, tools: SessionTools) =>
      Effect.sync(() => {
        sessions.delete(sessionId)
        sessions.set(sessionId, tools)
        for (const id of sessions.keys()) {
          if (sessions.size <= maxSessions) break
          sessions.delete(id)
        }
      })
  }
})

export type SessionToolsMemory = Effect.Success<typeof makeMemory>

/** What came and went since the last step, each sorted; null when nothing did, or there was no step before. */
export const changes = (before: SessionTools, now: ReadonlySet<string>) => {
  if (before.visible === null || before.visible === now) return null
  const old = before.visible
  const added = [...now].filter((name) => !old.has(name)).sort()
  const removed = [...old].filter((name) => !now.has(name)).sort()
  return added.length + removed.length === 0 ? null : { added, removed }
}
