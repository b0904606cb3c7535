/**
 * One call that no model asked for (`cow tools call`), through the same checks. When it needs a person it becomes a
 * waiting run of its own, which ends with the call's result.
 */
import {
  Message,
  type Permission,
  type Run,
  RunStore,
  type RunStoreError,
  type SessionBusy,
  type SessionConflict,
  type SessionNotFound,
  SessionStore,
  type SessionStoreError,
  ToolManager,
  ToolResult
} from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { newId } from "../run/ActiveRun.ts"
import * as RunLedger from "../run/RunLedger.ts"
import { noModel } from "../run/RunResume.ts"
import type { Dispatch } from "./DispatchRequest.ts"
import * as ToolArguments from "./ToolArguments.ts"

export interface CallRequest {
  readonly name: string
  readonly input: Message.JsonObject[string]
  readonly persona: string
  readonly permission: Permission.PermissionMode
  /** Absolute path. */
  readonly workspace: string
}

export interface CallOutcome {
  readonly tool: string
  readonly result: ToolResult.ToolResult
  /** What a model would be given of the result: bounded in size. */
  readonly content: ReadonlyArray<ToolResult.ToolContent>
  readonly durationMs: number
  /** The run that waits for approval of this call; null when it does not wait. */
  readonly runId: string | null
}

/** Stores the call as a run that waits, so that `cow approve` can make it. */
const park = Effect.fnUntraced(function* (
  request: CallRequest,
  ids: { readonly runId: string; readonly sessionId: string },
  messages: ReadonlyArray<Message.Message>,
  pending: Run.PendingApproval
): Effect.fn.Return<
  void,
  SessionNotFound | SessionConflict | SessionStoreError | SessionBusy | RunStoreError,
  RunStore | SessionStore
> {
  const sessions = yield* SessionStore
  const runs = yield* RunStore
  yield* sessions.create({ id: ids.sessionId, workspace: request.workspace })
  yield* sessions.write(ids.sessionId, { revision: 0, keep: 0, messages })
  yield* runs.create({
    id: ids.runId,
    sessionId: ids.sessionId,
    status: "waiting_approval",
    model: noModel,
    persona: request.persona,
    permission: request.permission,
    workspace: request.workspace,
    maxSteps: 1,
    steps: 1,
    startsAt: 0,
    restricted: false,
    parent: null,
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
    pending,
    error: null
  })
})

export const call = Effect.fn("SingleCall.call")(function* (dispatch: Dispatch, request: CallRequest) {
  const { name, permission, persona, workspace } = request
  const ids = { runId: newId("run"), sessionId: newId("s") }
  const parsed = ToolArguments.parse(JSON.stringify(request.input), false)
  const input = parsed._tag === "Read" ? parsed.input : {}
  const part: Message.ToolCallPart = { type: "tool_call", id: newId("call"), name, input }
  const asked = Message.userText(`Call ${name} with ${JSON.stringify(request.input)}`)
  const ledger = yield* Ref.make(
    RunLedger.openCalls(RunLedger.make(RunLedger.unstored([asked]), 0), { role: "assistant", parts: [part] })
  )
  const table = yield* (yield* ToolManager).snapshot
  const raw = yield* Ref.make<ToolResult.ToolResult | null>(null)
  const startedAt = yield* Clock.currentTimeMillis
  const outcome = yield* dispatch({
    context: { ...ids, persona, workspace, permission },
    calls: [{ part, arguments: parsed }],
    table,
    offered: table.tools.map(({ tool }) => tool.name),
    ledger,
    emit: () => Effect.void,
    redirected: Effect.succeed(false),
    observe: (_, result) => Ref.set(raw, result)
  })
  const durationMs = Math.round((yield* Clock.currentTimeMillis) - startedAt)
  if (outcome._tag === "Waiting") {
    const { messages } = yield* Ref.get(ledger)
    const parked = yield* Effect.result(park(request, ids, messages, outcome.pending))
    const structured =
      parked._tag === "Success"
        ? { status: "waiting_approval", run_id: ids.runId }
        : {
            status: "denied",
            reason: `it needs an approval, and could not be stored: ${parked.failure.message}`
          }
    const result: ToolResult.ToolResult = {
      _tag: "Denied",
      content: [Message.text(JSON.stringify(structured))],
      structured
    }
    const runId = parked._tag === "Success" ? ids.runId : null
    return { tool: name, result, content: result.content, durationMs, runId } satisfies CallOutcome
  }
  const [bounded] = RunLedger.resultsSoFar(yield* Ref.get(ledger))
  const result = (yield* Ref.get(raw)) ?? ToolResult.failed("the call gave no result")
  const content = bounded?.content ?? result.content
  return { tool: name, result, content, durationMs, runId: null } satisfies CallOutcome
})
