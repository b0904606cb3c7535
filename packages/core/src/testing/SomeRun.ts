/** A run for tests, in a session of its own, queued and untouched unless told otherwise. */
import type { Run } from "../model/Run.ts"

export const someRun = (id: string, more: Partial<Run> = {}): Omit<Run, "createdAt" | "updatedAt"> => ({
  id,
  sessionId: `session of ${id}`,
  status: "queued",
  model: "offline/cow",
  persona: "default",
  permission: "workspace-write",
  workspace: "/w",
  maxSteps: 30,
  steps: 0,
  startsAt: 0,
  restricted: false,
  parent: null,
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
  pending: null,
  error: null,
  ...more
})
