/** How a run begins: the session is loaded, the run stored, and `run_started` is its first event. */
import {
  Message,
  type ModelNotFound,
  Models,
  type RunRequest,
  RunStore,
  type RunStoreError,
  SessionStore,
  type SessionStoreError,
  Transcript
} from "@cow/core"
import * as Effect from "effect/Effect"
import * as RunServers from "../step/RunServers.ts"
import * as RunSkills from "../step/RunSkills.ts"
import * as RunTools from "../step/RunTools.ts"
import * as Turn from "../step/Turn.ts"
import { type ActiveRun, makeScene, newId, type Requirements } from "./ActiveRun.ts"
import * as RunEnd from "./RunEnd.ts"
import { type SessionBusy, SessionWaiting } from "./RunErrors.ts"
import * as RunLedger from "./RunLedger.ts"
import type { RunScene } from "./RunScene.ts"
import * as RunWaiting from "./RunWaiting.ts"

const started = Effect.fnUntraced(function* (scene: RunScene) {
  const { emit, request, runId, sessionId } = scene
  const { permission, persona, workspace } = request
  const visible = yield* RunTools.visible(scene, yield* RunTools.table(scene))
  const mcp = visible.filter(({ source }) => source._tag === "Mcp").length
  const servers = yield* RunServers.list
  const cards = yield* RunSkills.cards(scene)
  const available = cards.filter((card) => card.available).length
  yield* emit({
    type: "run_started",
    v: 1,
    run_id: runId,
    session_id: sessionId,
    model: request.model.id,
    persona,
    workspace,
    permission,
    tools: { builtin: visible.length - mcp, mcp },
    mcp: servers.map(({ name, state }) => ({ server: name, status: state })),
    skills: { available, unavailable: cards.length - available }
  })
})

/** A new run of a session. */
export const start = Effect.fn("RunStart.start")(function* (
  active: ActiveRun,
  { model: modelId, prompt, sessionId: _, ...asked }: RunRequest
): Effect.fn.Return<
  RunEnd.RunOutcome,
  ModelNotFound | SessionBusy | SessionWaiting | SessionStoreError | RunStoreError,
  Requirements
> {
  const { sessionId } = active
  // Before anything is stored: a run without a model is no run.
  const request = { ...asked, model: yield* (yield* Models).get(modelId) }
  const sessions = yield* SessionStore
  const runs = yield* RunStore
  const waiting = yield* RunWaiting.find(sessionId)
  if (waiting !== undefined)
    // What is gone by now was answered or removed while this was looked at.
    return yield* RunWaiting.answer(waiting, prompt).pipe(
      Effect.catchTags({
        SessionNotFound: () => new SessionWaiting({ sessionId, runId: waiting.id }),
        RunNotFound: () => new SessionWaiting({ sessionId, runId: waiting.id })
      })
    )
  yield* sessions.create({ id: sessionId, workspace: request.workspace })
  const before = yield* sessions
    .messages(sessionId)
    .pipe(Effect.catchTag("SessionNotFound", () => Effect.succeed<ReadonlyArray<Message.Message>>([])))
  const { changes, messages } = Transcript.repair(before)
  const ledger = RunLedger.append(
    RunLedger.make(messages, changes === 0 ? before.length : 0),
    Message.userText(prompt.toWellFormed())
  )
  const runId = newId("run")
  const scene = yield* makeScene(active, runId, request, ledger)
  yield* runs.create({
    id: runId,
    sessionId,
    status: "running",
    model: modelId,
    persona: request.persona,
    permission: request.permission,
    workspace: request.workspace,
    maxSteps: request.maxSteps,
    steps: 0,
    startsAt: messages.length,
    restricted: request.restricted === true,
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
    pending: null,
    error: null
  })
  const work = Effect.gen(function* () {
    yield* started(scene)
    yield* scene.save
    yield* Effect.forkScoped(RunServers.refresh)
    return yield* Turn.run(scene)
  })
  return yield* RunEnd.toEnd(scene, Effect.scoped(work))
})
