/** The tools there are for a run: the table its calls are resolved against, and those of it that it may use. */
import { Guest, ToolGate, ToolManager, ToolTable } from "@cow/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RunScene } from "../run/RunScene.ts"

/** The table as it is now; for a restricted run without the tools of MCP servers, for a worker without `delegate`. */
export const table = Effect.fnUntraced(function* ({ request }: RunScene) {
  const snapshot = yield* (yield* ToolManager).snapshot
  const own = request.parent === undefined ? snapshot : ToolTable.withoutDelegation(snapshot)
  return request.restricted === true ? ToolTable.withoutServers(own) : own
})

/** The tools of the table that the gate lets this run use. */
export const visible = Effect.fnUntraced(function* ({ request }: RunScene, { tools }: ToolTable.ToolTable) {
  const gate = yield* ToolGate
  const { permission, persona, workspace } = request
  const limit = Duration.seconds(yield* Guest.maxCheckSeconds)
  const outcome = yield* Guest.settle(() => gate.usable({ persona, permission, workspace }, tools), limit)
  if (outcome._tag === "Given" && Array.isArray(outcome.value)) return outcome.value
  // A check that fails denies.
  const why = outcome._tag === "Given" ? "gave no list" : Guest.describe(outcome)
  yield* Effect.logWarning(`which tools may be used could not be decided: the check ${why}; none is sent`)
  return []
})
