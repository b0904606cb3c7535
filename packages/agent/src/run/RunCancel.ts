/** What a run that ends in the middle leaves behind: a history that is valid as it stands. */
import type { Message } from "@cow/core"
import { Message as Messages } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as StreamFold from "../step/StreamFold.ts"
import * as LeftRunning from "./LeftRunning.ts"
import * as RunLedger from "./RunLedger.ts"
import type { RunScene } from "./RunScene.ts"

/** Why it ends: what its open calls are answered with, and what stands behind them. */
export interface CutShort {
  readonly call: string
  readonly marker: string
}

export const byUser: CutShort = { call: "cancelled by the user", marker: "[The user cancelled this run.]" }
export const byFault: CutShort = {
  call: "cancelled by a fault of the agent's own",
  marker: "[This run broke off by a fault of the agent's own.]"
}
export const byLoss: CutShort = {
  call: "cancelled, because another process has taken the session over",
  marker: "[Another process has taken this session over.]"
}

/**
 * The text so far is kept, half-made calls are not; every open call gets a result and its events; then a marker
 * says what happened, and names what goes on all the same.
 */
export const settle = Effect.fn("RunCancel.settle")(function* (scene: RunScene, why: CutShort) {
  const { emit, ledger } = scene
  const { draft, open } = yield* Ref.get(ledger)
  const marker = why.marker + (yield* LeftRunning.note(scene.sessionId))
  if (draft !== null) {
    const message = StreamFold.partial(draft)
    yield* Ref.update(ledger, (now) => {
      const kept = RunLedger.addUsage({ ...now, draft: null }, StreamFold.usageOf(draft))
      return message.parts.length === 0 ? kept : RunLedger.append(kept, message)
    })
  }
  if (open === null) {
    yield* Ref.update(ledger, (now) => RunLedger.append(now, Messages.userText(marker)))
    return yield* scene.writer.store
  }
  const endedAt = yield* Clock.currentTimeMillis
  for (const call of open.calls.filter(({ id }) => !open.results.has(id))) {
    const startedAt = open.started.get(call.id)
    const text =
      startedAt !== undefined
        ? `${why.call} after it had started; its outcome is unknown`
        : `${why.call} before it started`
    const result: Message.ToolResultPart = {
      type: "tool_result",
      callId: call.id,
      name: call.name,
      status: "cancelled",
      content: [Messages.text(text)]
    }
    if (!open.announced.has(call.id))
      yield* emit({ type: "tool_called", call_id: call.id, tool: call.name, server: "", input: call.input })
    yield* Ref.update(ledger, (now) => RunLedger.answer(now, result))
    yield* emit({
      type: "tool_finished",
      call_id: call.id,
      tool: call.name,
      status: "cancelled",
      duration_ms: startedAt === undefined ? 0 : Math.round(endedAt - startedAt),
      content: text
    })
  }
  yield* Ref.update(ledger, (now) => RunLedger.closeCalls(now, marker))
  yield* scene.writer.store
})
