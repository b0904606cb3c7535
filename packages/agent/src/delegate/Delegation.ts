/**
 * A worker's run: another run in a session of its own, for the persona and in the mode of the run that it works for.
 * Which worker belongs to which call is in the name of its session, so that any process finds it again.
 *
 * The run above is told of a worker only that one of its calls waits for a person; the worker's own events and its
 * conversation are stored with its own run. Its usage counts in the run above.
 */
import { type AgentEvent, Model, type Run, type RunRequest, RunStore, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as AgentLimits from "../AgentLimits.ts"
import type { Call, DispatchRequest } from "../call/DispatchRequest.ts"
import type { Delegate } from "../call/ToolDispatcher.ts"
import type { RunOutcome } from "../run/RunEnd.ts"
import * as RunJournal from "../run/RunJournal.ts"
import * as RunLedger from "../run/RunLedger.ts"
import type { ResumeAnswer } from "../run/RunResume.ts"

/** Starts and resumes runs, as `Agent` does. */
interface Runs<E, F> {
  readonly run: (request: RunRequest) => Effect.Effect<RunOutcome, E>
  readonly resume: (runId: string, answer: ResumeAnswer) => Effect.Effect<RunOutcome, F>
}

interface Told {
  readonly _tag: string
  readonly message: string
}

/** Of the worker of this call of this run. */
const sessionOf = (runId: string, callId: string): string => `worker_${runId}_${encodeURIComponent(callId)}`

/** Of a worker's events the run above tells that a call waits, as one of its own. */
const forwardTo =
  ({ context, emit }: DispatchRequest) =>
  (event: AgentEvent.AgentEvent): Effect.Effect<void> =>
    event.type === "approval_requested" ? emit({ ...event, run_id: context.runId }) : Effect.void

type Ended = Pick<AgentEvent.AgentEventOf<"run_finished">, "status" | "text" | "error">

const resultOf = ({ error, status, text }: Ended): ToolResult.ToolResult => {
  switch (status) {
    case "completed":
      return ToolResult.ok(text === "" ? "The worker has ended without words." : text)
    case "limit":
      return ToolResult.ok(`${text}\n\n(The worker has used all its steps before it was done.)`)
    case "cancelled":
      return ToolResult.cancelled("The worker was cancelled; what it had done until then stands.")
    case "failed":
    case "waiting_approval":
      return ToolResult.failed(`The worker failed: ${error ?? "it has not come to an end"}`)
  }
}

export const make = <E extends Told, F extends Told>(agent: Runs<E, F>) =>
  Effect.gen(function* () {
    const store = yield* RunStore

    /** The worker's run of this session, if there is one. */
    const find = Effect.fnUntraced(function* (sessionId: string) {
      const { items } = yield* store.list({ sessionId })
      return items[0]
    })

    /** How a worker's run that is over has ended. */
    const endOf = Effect.fnUntraced(function* ({ error, id }: Run.Run): Effect.fn.Return<Ended> {
      const events = yield* Effect.orElseSucceed(store.events(id, 0), () => [])
      const last = events.findLast(({ event }) => event.type === "run_finished")?.event
      return last?.type === "run_finished" ? last : { status: "failed", text: "", error }
    })

    const begin = Effect.fnUntraced(function* ({ context }: DispatchRequest, call: Call, sessionId: string) {
      const above = yield* store.get(context.runId)
      const { id, maxSteps, model, permission, persona, restricted, workspace } = above
      const steps = Math.min(maxSteps, yield* AgentLimits.maxWorkerSteps)
      const prompt = String(call.part.input.request)
      const asked = { prompt, sessionId, model, persona, permission, workspace, maxSteps: steps }
      return (yield* agent.run({ ...asked, restricted, parent: id })).finished
    })

    /** A worker that is there already: it goes on with the answer, or still waits, or is over. */
    const takeUp = Effect.fnUntraced(function* ({ answer }: DispatchRequest, worker: Run.Run) {
      if (worker.status !== "waiting_approval") return yield* endOf(worker)
      if (answer?.pending.worker?.runId !== worker.id)
        return { status: worker.status, text: "", error: null } satisfies Ended
      const said = answer.approved
        ? ({ _tag: "Approved" } as const)
        : ({ _tag: "Refused", end: false } as const)
      return (yield* agent.resume(worker.id, said)).finished
    })

    const work = Effect.fnUntraced(function* (request: DispatchRequest, call: Call, sessionId: string) {
      const before = yield* find(sessionId)
      const count = Effect.gen(function* () {
        const now = (yield* find(sessionId))?.usage ?? Model.noUsage
        const counted = before?.usage ?? Model.noUsage
        const more = {
          inputTokens: now.inputTokens - counted.inputTokens,
          outputTokens: now.outputTokens - counted.outputTokens,
          cachedTokens: now.cachedTokens - counted.cachedTokens
        }
        yield* Ref.update(request.ledger, (ledger) => RunLedger.addUsage(ledger, more))
      })
      const working = Effect.gen(function* () {
        return before === undefined ? yield* begin(request, call, sessionId) : yield* takeUp(request, before)
      })
      const ended: Ended = yield* working.pipe(
        Effect.provideService(RunJournal.ParentEvents, forwardTo(request)),
        Effect.ensuring(Effect.ignore(count))
      )
      if (ended.status !== "waiting_approval") return resultOf(ended)
      const worker = yield* find(sessionId)
      if (worker?.pending === undefined || worker.pending === null) return resultOf(ended)
      const pending: Run.PendingApproval = {
        ...worker.pending,
        worker: { runId: worker.id, callId: call.part.id }
      }
      return { _tag: "Waiting" as const, pending }
    })

    const delegate: Delegate = (request, call) =>
      work(request, call, sessionOf(request.context.runId, call.part.id)).pipe(
        Effect.catch((error) =>
          Effect.succeed(
            ToolResult.failed(
              error._tag === "RunNotFound"
                ? "delegate works inside a run only."
                : `The worker could not begin: ${error.message || error._tag}`
            )
          )
        )
      )
    return delegate
  })
