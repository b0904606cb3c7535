/** A run for tests, queued and untouched unless told otherwise. */
import type { Run } from "@cow/core"

export const someRun = (
  id: string,
  more: Partial<Run.Run> = {}
): Omit<Run.Run, "createdAt" | "updatedAt"> => ({
  id,
  sessionId: "s",
  status: "queued",
  model: "offline/cow",
  persona: "default",
  permission: "workspace-write",
  workspace: "/w",
  maxSteps: 30,
  steps: 0,
  startsAt: 0,
  restricted: false,
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
  pending: null,
  error: null,
  ...more
})
