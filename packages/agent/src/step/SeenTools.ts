/**
 * What this process has made of a session's tools at its last step there: what was sent, and which tools there were. It
 * saves work and tells what came and went; what a session keeps wherever it goes on is core's `SessionTools`.
 */
import * as Effect from "effect/Effect"
import * as SentTools from "./SentTools.ts"

export interface Seen {
  readonly sent: SentTools.SentTools
  /** Names of the tools there were; null before the first step. */
  readonly visible: ReadonlySet<string> | null
  /** Servers whose start a first request has waited for. */
  readonly awaited: ReadonlySet<string>
}

export const none: Seen = { sent: SentTools.none, visible: null, awaited: new Set() }

/** Sessions remembered at most; the longest unused is forgotten first. */
const maxSessions = 10_000

export const make = Effect.sync(() => {
  const sessions = new Map<string, Seen>()
  return {
    get: (sessionId: string) => Effect.sync(() => sessions.get(sessionId) ?? none),
    set: (sessionId: string, seen: Seen) =>
      Effect.sync(() => {
        sessions.delete(sessionId)
        sessions.set(sessionId, seen)
        for (const id of sessions.keys()) {
          if (sessions.size <= maxSessions) break
          sessions.delete(id)
        }
      })
  }
})

export type SeenTools = Effect.Success<typeof make>

/** What came and went since the last step, each sorted; null when nothing did, or there was no step before. */
export const changes = (before: ReadonlySet<string> | null, now: ReadonlySet<string>) => {
  if (before === null || before === now) return null
  const added = [...now].filter((name) => !before.has(name)).sort()
  const removed = [...before].filter((name) => !now.has(name)).sort()
  return added.length + removed.length === 0 ? null : { added, removed }
}
