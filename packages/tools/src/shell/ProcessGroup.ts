/** Whether a process group still has members. This is the layer for node:process, whose signal 0 tells. */
import { kill } from "node:process"
import * as Effect from "effect/Effect"

/** `pid` is the group's leader, which may be gone itself. */
export const isAlive = (pid: number): Effect.Effect<boolean> =>
  Effect.sync(() => {
    try {
      kill(-pid, 0)
      return true
    } catch (cause) {
      // A group that may not be signalled is there.
      return cause instanceof Error && "code" in cause && cause.code === "EPERM"
    }
  })
