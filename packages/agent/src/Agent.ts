/**
 * The agent: starts, continues and steers runs, one at a time in a session.
 *
 * Owns which sessions this process works on; whether another does, `RunStore` says. What a run does is `Turn`, how it begins `RunStart`, how it
 * ends `RunEnd`, how a waiting one goes on `RunResume`.
 */
import {
  type Approver,
  type Events,
  type ModelNotFound,
  type Models,
  type PromptSections,
  type RunNotFound,
  RunOwner,
  type RunRequest,
  RunStore,
  type RunStoreError,
  type SchemaValidator,
  SessionBusy,
  type SessionNotFound,
  type SessionStore,
  type SessionStoreError,
  type SkillCatalog,
  type ToolGate,
  type ToolManager,
  type ToolSelector,
  type ToolServers,
  type UnknownToolAdvice
} from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as AgentLimits from "./AgentLimits.ts"
import * as ResultBound from "./call/ResultBound.ts"
import type { CallOutcome, CallRequest } from "./call/SingleCall.ts"
import * as SingleCall from "./call/SingleCall.ts"
import * as ToolDispatcher from "./call/ToolDispatcher.ts"
import * as Delegation from "./delegate/Delegation.ts"
import * as ActiveRun from "./run/ActiveRun.ts"
import * as Inbox from "./run/Inbox.ts"
import type { RunOutcome } from "./run/RunEnd.ts"
import type { NotWaiting, SessionWaiting } from "./run/RunErrors.ts"
import * as RunJournal from "./run/RunJournal.ts"
import type { ResumeAnswer } from "./run/RunResume.ts"
import * as RunResume from "./run/RunResume.ts"
import * as RunStart from "./run/RunStart.ts"
import * as RunWaiting from "./run/RunWaiting.ts"
import * as SeenTools from "./step/SeenTools.ts"

export class Agent extends Context.Service<
  Agent,
  {
    /**
     * Works one message off. Its facts go to `Events`, `run_started` first and `run_finished` last. Interrupting
     * cancels the run: open calls are answered, the history is stored and `run_finished` is published before the
     * interruption is complete. Where a run of the session waits for approval, that question is asked again, and the
     * message reaches the model when it is answered. A model that there is not fails before anything is stored.
     */
    readonly run: (
      request: RunRequest
    ) => Effect.Effect<
      RunOutcome,
      ModelNotFound | SessionBusy | SessionWaiting | SessionStoreError | RunStoreError
    >
    /**
     * Goes on with a run that waits for approval, to its end. Where its model is gone it goes on waiting; to end it
     * no model is needed.
     */
    readonly resume: (
      runId: string,
      answer: ResumeAnswer
    ) => Effect.Effect<
      RunOutcome,
      | ModelNotFound
      | SessionBusy
      | RunNotFound
      | NotWaiting
      | SessionNotFound
      | SessionStoreError
      | RunStoreError
    >
    /** Puts a text into the run that works on the session, or that waits for an approval in it. */
    readonly steer: (sessionId: string, text: string) => Effect.Effect<Inbox.SteerOutcome>
    /** One call through the same checks as a model's. */
    readonly call: (request: CallRequest) => Effect.Effect<CallOutcome>
  }
>()("@cow/agent/Agent") {
  static readonly layer: Layer.Layer<
    Agent,
    never,
    | Approver
    | Events
    | FileSystem.FileSystem
    | Models
    | Path.Path
    | PromptSections
    | RunStore
    | SchemaValidator
    | SessionStore
    | SkillCatalog
    | ToolGate
    | ToolManager
    | ToolSelector
    | ToolServers
    | UnknownToolAdvice
  > = Layer.effect(
    Agent,
    Effect.gen(function* () {
      const delegate = yield* Delegation.make({
        run: (request) => run(request),
        resume: (runId, answer) => resume(runId, answer)
      })
      const dispatch = yield* ToolDispatcher.make(yield* ResultBound.make, delegate)
      const seenTools = yield* SeenTools.make
      const services = yield* Effect.context<ActiveRun.Requirements>()
      const active = new Map<string, ActiveRun.ActiveRun>()

      /** One run a session. */
      const alone = <A, E>(sessionId: string, work: (run: ActiveRun.ActiveRun) => Effect.Effect<A, E>) =>
        Effect.acquireUseRelease(
          Effect.gen(function* () {
            if (active.has(sessionId)) {
              const owner = yield* RunOwner.current
              return yield* new SessionBusy({ sessionId, runId: null, status: "running", owner })
            }
            const run = yield* ActiveRun.makeActive({ sessionId, dispatch, seenTools })
            active.set(sessionId, run)
            return run
          }),
          work,
          () => Effect.sync(() => active.delete(sessionId))
        )

      const run: Agent["Service"]["run"] = Effect.fn("Agent.run")(function* (request: RunRequest) {
        const sessionId = request.sessionId ?? ActiveRun.newId("s")
        return yield* alone(sessionId, (active) =>
          Effect.provideContext(RunStart.start(active, request), services)
        )
      })

      const resume: Agent["Service"]["resume"] = Effect.fn("Agent.resume")(function* (
        runId: string,
        answer: ResumeAnswer
      ) {
        const store = yield* Effect.provideContext(RunStore, services)
        const stored = yield* store.get(runId)
        const worker = stored.pending?.worker
        // A run that ends so ends its worker, whose call it was.
        if (worker !== undefined && stored.status === "waiting_approval" && RunResume.isEnd(answer))
          yield* resume(worker.runId, answer).pipe(
            Effect.provideService(RunJournal.ParentEvents, () => Effect.void),
            Effect.catch((error) =>
              Effect.logWarning(`the worker ${worker.runId} of run ${runId} was not ended`, error)
            )
          )
        return yield* alone(stored.sessionId, (active) =>
          Effect.provideContext(RunResume.resume(active, stored, answer), services)
        )
      })

      const steerWaiting = Effect.fnUntraced(function* (sessionId: string, text: string) {
        const run = yield* RunWaiting.find(sessionId)
        if (run === undefined) return "inactive"
        if (!Inbox.isText(text, yield* AgentLimits.maxSteerChars)) return "invalid"
        if ((yield* RunWaiting.pendingTexts(sessionId)) >= (yield* AgentLimits.maxPendingSteers))
          return "full"
        yield* RunWaiting.say(run, text)
        return "accepted"
      })

      const steer = (sessionId: string, text: string) =>
        Effect.suspend((): Effect.Effect<Inbox.SteerOutcome> => {
          const run = active.get(sessionId)
          if (run !== undefined) return run.inbox.offer(text)
          return Effect.provideContext(steerWaiting(sessionId, text), services).pipe(
            Effect.catch((error) =>
              Effect.as(
                Effect.logWarning(`session ${sessionId} could not be steered`, error),
                "inactive" as const
              )
            )
          )
        })

      const call = (request: CallRequest) =>
        Effect.provideContext(SingleCall.call(dispatch, request), services)

      return Agent.of({ run, resume, steer, call })
    })
  )
}
