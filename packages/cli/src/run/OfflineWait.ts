/**
 * A head start for servers before the offline model, which answers at once from the tools it is sent: when the message
 * calls for a tool that is not there yet, a run waits for it. Any other model meets a late server at a later step.
 */
import { Tool, ToolManager } from "@cow/core"
import { McpManager } from "@cow/mcp"
import { OfflineModel } from "@cow/models"
import * as Effect from "effect/Effect"
import * as ServerWait from "./ServerWait.ts"

const pause = "50 millis"

/** Until the tool is there, no server can bring it any more, or `ServerWait.usualSeconds` are over. */
export const before = Effect.fnUntraced(function* (prompt: string, modelId: string) {
  if (modelId !== OfflineModel.model.id) return
  const manager = yield* McpManager
  const tools = yield* ToolManager
  const found = Effect.map(
    tools.snapshot,
    (table) =>
      !OfflineModel.misses(
        prompt,
        table.tools.map(({ tool }) => Tool.definition(tool))
      )
  )
  if (yield* found) return
  yield* Effect.raceFirst(
    manager.waitSettled(ServerWait.usualSeconds),
    Effect.repeat(Effect.delay(found, pause), { until: (there) => there })
  )
})
