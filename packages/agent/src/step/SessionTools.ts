/**
 * What a session remembers about its tools between steps and runs, in this process: the order they were sent in,
 * which were chosen, and which there were.
 */
import * as Effect from "effect/Effect"

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

/** The very set that was seen before where it has the same names: a thousand sessions then share one. */
const shared = (latest: ReadonlySet<string>, names: ReadonlySet<string>): ReadonlySet<string> =>
  latest === names || (latest.size === names.size && [...names].every((name) => latest.has(name)))
    ? latest
    : names

export const makeMemory = Effect.sync(() => {
  const sessions = new Map<string, SessionTools>()
  let latest: ReadonlySet<string> = new Set()
  return {
    get: (sessionId: string) => Effect.sync(() => sessions.get(sessionId) ?? none),
    set: (sessionId: string, tools: SessionTools) =>
      Effect.sync(() => {
        latest = tools.visible === null ? latest : shared(latest, tools.visible)
        sessions.delete(sessionId)
        sessions.set(sessionId, { ...tools, visible: tools.visible === null ? null : latest })
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
