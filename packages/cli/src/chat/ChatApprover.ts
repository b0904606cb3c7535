/**
 * The layer of core's `Approver` for a chat: a call that needs a person waits until a line approves or denies it.
 * Once the input has ended nobody can answer, and what waits is stored to be answered by `cow approve`.
 */
import { type ApprovalAnswer, Approver } from "@cow/core"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class PendingAnswers extends Context.Service<
  PendingAnswers,
  {
    /** `callId` absent: the one that has waited longest. False: nothing of that id waits. */
    readonly answer: (callId: string | undefined, answer: ApprovalAnswer) => Effect.Effect<boolean>
    /** What waits, and whatever comes, is unattended from now on. */
    readonly close: Effect.Effect<void>
    readonly waiting: Effect.Effect<boolean>
  }
>()("@cow/cli/PendingAnswers") {}

export const layer: Layer.Layer<Approver | PendingAnswers> = Layer.effectContext(
  Effect.sync(() => {
    const waiting = new Map<string, Deferred.Deferred<ApprovalAnswer>>()
    let closed = false
    const unattended: ApprovalAnswer = { _tag: "Unattended" }

    const approver = Approver.of({
      ask: (_, { callId }) =>
        Effect.suspend(() => {
          if (closed) return Effect.succeed(unattended)
          const deferred = Deferred.makeUnsafe<ApprovalAnswer>()
          waiting.set(callId, deferred)
          return Effect.ensuring(
            Deferred.await(deferred),
            Effect.sync(() => waiting.delete(callId))
          )
        })
    })
    const answers = PendingAnswers.of({
      answer: (callId, answer) =>
        Effect.suspend(() => {
          const id = callId ?? waiting.keys().next().value
          const deferred = id === undefined ? undefined : waiting.get(id)
          return deferred === undefined ? Effect.succeed(false) : Deferred.succeed(deferred, answer)
        }),
      close: Effect.suspend(() => {
        closed = true
        return Effect.forEach(waiting.values(), (deferred) => Deferred.succeed(deferred, unattended), {
          discard: true
        })
      }),
      waiting: Effect.sync(() => waiting.size > 0)
    })
    return Context.make(Approver, approver).pipe(Context.add(PendingAnswers, answers))
  })
)
