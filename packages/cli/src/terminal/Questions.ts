/**
 * Questions to the person in front of the terminal, one dialogue after the other: a question is printed, the next line
 * is its answer. What a question means is the asker's.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { Output } from "./Output.ts"
import { oneLine } from "./Printable.ts"
import * as StandardInput from "./StandardInput.ts"

export class Questions extends Context.Service<
  Questions,
  {
    /** Prints the lines, the last one before the cursor. `undefined`: nobody can answer any more. */
    readonly ask: (question: ReadonlyArray<string>) => Effect.Effect<string | undefined>
    /** One line. */
    readonly tell: (text: string) => Effect.Effect<void>
    /** While this runs nobody else asks. */
    readonly alone: <A, E, R>(dialogue: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@cow/cli/Questions") {}

/** Lines that a chat hands over while a question waits. */
export class QuestionLines extends Context.Service<
  QuestionLines,
  {
    /** False: no question waits, the line is the chat's. */
    readonly take: (line: string) => Effect.Effect<boolean>
    /** No more lines come. */
    readonly close: Effect.Effect<void>
  }
>()("@cow/cli/QuestionLines") {}

const make = Effect.fnUntraced(function* (answer: Effect.Effect<string | undefined>) {
  const output = yield* Output
  const oneAtATime = yield* Semaphore.make(1)
  return Questions.of({
    ask: (question) => {
      const lines = question.map(oneLine)
      return Effect.andThen(output.rawNote(`${lines.join("\n")}: `), answer)
    },
    tell: output.note,
    alone: oneAtATime.withPermits(1)
  })
})

/** What was typed before is read within this. */
const typedAhead = "60 millis"

/** `lines`: what the person types. Nothing is read before the first question; what was typed before it answers nothing. */
export const layerOf = <E, R>(lines: Stream.Stream<string, E, R>) =>
  Layer.effect(
    Questions,
    Effect.gen(function* () {
      const typed = yield* Queue.unbounded<string, "ended">()
      const reading = yield* Effect.cached(
        lines.pipe(
          Stream.runForEach((line) => Queue.offer(typed, line)),
          Effect.ignore,
          Effect.andThen(Queue.fail(typed, "ended")),
          Effect.forkScoped
        )
      )
      const scoped = yield* Effect.context<Effect.Services<typeof reading>>()
      const answer = Queue.take(typed).pipe(Effect.catch(() => Effect.succeed(undefined)))
      const questions = yield* make(answer)
      const begin = Effect.gen(function* () {
        yield* Effect.provideContext(reading, scoped)
        yield* Effect.sleep(typedAhead)
        yield* Queue.clear(typed).pipe(Effect.catch(() => Effect.void))
      })
      return Questions.of({
        ...questions,
        alone: (dialogue) => questions.alone(Effect.andThen(begin, dialogue))
      })
    })
  )

export const layer = layerOf(StandardInput.lines)

/** For a chat, which reads the lines itself. */
export const layerChat: Layer.Layer<Questions | QuestionLines, never, Output> = Layer.effectContext(
  Effect.gen(function* () {
    let waiting: Deferred.Deferred<string | undefined> | undefined
    let closed = false
    const answer = Effect.suspend(() => {
      if (closed) return Effect.succeed(undefined)
      const mine = Deferred.makeUnsafe<string | undefined>()
      waiting = mine
      return Effect.ensuring(
        Deferred.await(mine),
        Effect.sync(() => {
          if (waiting === mine) waiting = undefined
        })
      )
    })
    const lines = QuestionLines.of({
      take: (line) =>
        Effect.suspend(() => {
          const asked = waiting
          waiting = undefined
          return asked === undefined ? Effect.succeed(false) : Deferred.succeed(asked, line)
        }),
      close: Effect.suspend(() => {
        closed = true
        return waiting === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(waiting, undefined))
      })
    })
    return Context.make(Questions, yield* make(answer)).pipe(Context.add(QuestionLines, lines))
  })
)
