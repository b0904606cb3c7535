/**
 * The layer of core's `Approver` for `cow run` on a terminal: the person in front of it is asked, one question after
 * the other. What is typed before a question stands there answers nothing; at the end of input nobody can be asked.
 *
 * The call itself is shown by `EventPrinter`.
 */
import { type ApprovalAnswer, Approver } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as ApprovalReply from "../chat/ApprovalReply.ts"
import { Output } from "../terminal/Output.ts"
import { oneLine } from "../terminal/Printable.ts"
import * as StandardInput from "../terminal/StandardInput.ts"

/** What was typed before is read within this. */
const typedAhead = "60 millis"

const unattended: ApprovalAnswer = { _tag: "Unattended" }

/** `lines`: what the person types; for tests. */
export const layerOf = <E, R>(lines: Stream.Stream<string, E, R>) =>
  Layer.effect(
    Approver,
    Effect.gen(function* () {
      const output = yield* Output
      const oneAtATime = yield* Semaphore.make(1)
      const typed = yield* Queue.unbounded<string, "ended">()
      // Nothing is read before the first question: a command in the background must not reach for the terminal.
      const reading = yield* Effect.cached(
        lines.pipe(
          Stream.runForEach((line) => Queue.offer(typed, line)),
          Effect.ignore,
          Effect.andThen(Queue.fail(typed, "ended")),
          Effect.forkScoped
        )
      )
      const scoped = yield* Effect.context<Effect.Services<typeof reading>>()

      const answer: Effect.Effect<ApprovalAnswer> = Queue.take(typed).pipe(
        Effect.map(ApprovalReply.parse),
        Effect.tap((given) =>
          given === undefined ? output.rawNote(`${ApprovalReply.hint}: `) : Effect.void
        ),
        Effect.repeat({ until: (given) => given !== undefined }),
        Effect.map((given) => given ?? unattended),
        Effect.catch(() => Effect.succeed(unattended))
      )
      return Approver.of({
        ask: (_, { tool }) =>
          Effect.gen(function* () {
            yield* Effect.provideContext(reading, scoped)
            yield* Effect.sleep(typedAhead)
            yield* Queue.clear(typed).pipe(Effect.catch(() => Effect.void))
            yield* output.rawNote(`cow: allow ${oneLine(tool)}? ${ApprovalReply.hint}: `)
            const given = yield* answer
            // The cursor still stands behind the question.
            if (given._tag === "Unattended") yield* output.rawNote("\n")
            return given
          }).pipe(oneAtATime.withPermits(1))
      })
    })
  )

export const layer = layerOf(StandardInput.lines)
