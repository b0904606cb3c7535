/** The servers there are for a run. What is asked of them and fails or hangs costs the run nothing but that. */
import { Guest, ToolServers } from "@cow/core"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export const list = Effect.gen(function* () {
  const servers = yield* ToolServers
  return yield* Guest.orElse("the list of MCP servers", () => servers.list, [], Array.isArray)
})

/**
 * Looks whether the configuration of servers changed.
 *
 * @param limit what it may take. Absent, in the background of a run: as long as it likes.
 */
export const refresh = Effect.fnUntraced(function* (limit?: Duration.Duration) {
  const servers = yield* ToolServers
  const outcome = yield* Guest.settle(() => servers.refresh, limit)
  if (outcome._tag !== "Given")
    yield* Effect.logWarning(`looking for changes of MCP servers ${Guest.describe(outcome)}`)
})
