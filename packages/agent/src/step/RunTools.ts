/** The tools there are for a run: the table its calls are resolved against, and those of it that it may use. */
import { ToolGate, ToolManager, ToolTable } from "@cow/core"
import * as Effect from "effect/Effect"
import type { RunScene } from "../run/RunScene.ts"

/** The table as it is now; for a restricted run without the tools of MCP servers. */
export const table = Effect.fnUntraced(function* ({ request }: RunScene) {
  const snapshot = yield* (yield* ToolManager).snapshot
  return request.restricted === true ? ToolTable.withoutServers(snapshot) : snapshot
})

/** The tools of the table that the gate lets this run use. */
export const visible = Effect.fnUntraced(function* ({ request }: RunScene, { tools }: ToolTable.ToolTable) {
  const gate = yield* ToolGate
  const { permission, persona, workspace } = request
  return yield* gate.usable({ persona, permission, workspace }, tools)
})
