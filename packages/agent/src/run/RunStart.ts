/** How a run begins: the session is loaded, the run stored, and `run_started` is its first event. */
import {
  Message,
  type ModelNotFound,
  Models,
  type RunRequest,
  RunStore,
  RunStoreError,
  type SessionBusy,
  SessionStore,
  type SessionStoreError,
  Transcript
} from "@cow/core"
import * as Effect from "effect/Effect"
import * as RunServers from "../step/RunServers.ts"
import * as RunSkills from "../step/RunSkills.ts"
import * as RunTools from "../step/RunTools.ts"
import * as ServerWait from "../step/ServerWait.ts"
import * as Turn from "../step/Turn.ts"
import { type ActiveRun, makeScene, newId, type Requirements } from "./ActiveRun.ts"
import * as RunClaim from "./RunClaim.ts"
import * as RunEnd from "./RunEnd.ts"
import { SessionWaiting } from "./RunErrors.ts"
import * as RunLedger from "./RunLedger.ts"
import type { RunScene } from "./RunScene.ts"
import * as RunWaiting from "./RunWaiting.ts"
import * as SessionWriter from "./SessionWriter.ts"

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

/** A message to a session whose run waits. What is gone by now was answered or removed while this was looked at. */
const say = Effect.fnUntraced(function* (busy: SessionBusy, prompt: string) {
  const { sessionId } = busy
  const waiting = yield* RunWaiting.find(sessionId)
  const gone = new SessionWaiting({ sessionId, runId: waiting?.id ?? busy.runId ?? "" })
  if (waiting === undefined) return yield* gone
  return yield* RunWaiting.answer(waiting, prompt).pipe(
    Effect.catchTags({ SessionNotFound: () => gone, RunNotFound: () => gone })
  )
})

/** The run takes its session, as a queued run: who comes second is told who is there. */
const claim = Effect.fnUntraced(function* (runId: string, sessionId: string, asked: Asked) {
  const { maxSteps, model, parent = null, permission, persona, restricted, workspace } = asked
  yield* (yield* RunStore).create(
    {
      id: runId,
      sessionId,
      status: "queued",
      model,
      persona,
      permission,
      workspace,
      maxSteps,
      steps: 0,
      startsAt: 0,
      restricted: restricted === true,
      parent,
      usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
      pending: null,
      error: null
    },
    yield* RunClaim.make
  )
})

/** The claimed session as it stands, mended, and with that the run has begun. One that cannot begin is over. */
const begin = Effect.fnUntraced(function* (runId: string, sessionId: string, workspace: string) {
  const sessions = yield* SessionStore
  const runs = yield* RunStore
  yield* sessions.create({ id: sessionId, workspace })
  const state = yield* SessionWriter.takeOver(sessionId)
  const { changes, messages } = Transcript.repair(state.messages)
  yield* runs.transition(runId, "queued", "running", { startsAt: messages.length })
  if (changes === 0) return RunLedger.make(state, messages.length)
  // A summary counts messages: it does not hold for others.
  return { ...RunLedger.make({ ...state, messages }, 0), summary: null }
})

/** A new run of a session. */
export const start = Effect.fn("RunStart.start")(function* (
  active: ActiveRun,
  { prompt, sessionId: _, ...asked }: RunRequest
): Effect.fn.Return<
  RunEnd.RunOutcome,
  ModelNotFound | SessionBusy | SessionWaiting | SessionStoreError | RunStoreError,
  Requirements
> {
  const { sessionId } = active
  // Before anything is stored: a run without a model is no run.
  const request = { ...asked, model: yield* (yield* Models).get(asked.model) }
  const runId = newId("run")
  const runs = yield* RunStore
  const work = (scene: RunScene) =>
    Effect.gen(function* () {
      yield* started(scene)
      yield* scene.writer.save
      yield* Effect.forkScoped(RunServers.refresh())
      yield* ServerWait.beforeFirst(scene, prompt)
      return yield* Turn.run(scene)
    })
  // From the claim on there is a run, which comes to an end whatever happens.
  const claimed = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* claim(runId, sessionId, asked)
      const ledger = yield* begin(runId, sessionId, asked.workspace).pipe(
        Effect.catchTags({
          SessionNotFound: (cause) => cannotBegin(`session ${sessionId} was deleted`, cause),
          RunNotFound: (cause) => cannotBegin("its claim was lost", cause),
          IllegalTransition: (cause) => cannotBegin("its claim was lost", cause)
        }),
        Effect.tapError(({ message }) =>
          Effect.ignore(runs.transition(runId, "queued", "failed", { error: message }))
        )
      )
      const first = RunLedger.append(ledger, Message.userText(prompt.toWellFormed()))
      const scene = yield* makeScene(active, runId, request, first)
      return yield* RunEnd.toEnd(scene, work(scene), restore)
    })
  )
  return yield* Effect.catchTag(claimed, "SessionBusy", (busy) =>
    busy.status === "waiting_approval" ? say(busy, prompt) : Effect.fail(busy)
  )
})

type Asked = Omit<RunRequest, "prompt" | "sessionId">

const cannotBegin = (why: string, cause: unknown) =>
  Effect.fail(new RunStoreError({ message: `the run could not begin: ${why}`, cause }))
