/**
 * The layer of core's `Approver` for `cow run` on a terminal: the person in front of it is asked, one question after
 * the other; at the end of input nobody can be asked.
 *
 * The call itself is shown by `EventPrinter`; where lines come from is `Questions`.
 */
import { type ApprovalAnswer, Approver } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ApprovalReply from "../chat/ApprovalReply.ts"
import { Output } from "../terminal/Output.ts"
import { Questions } from "../terminal/Questions.ts"

export const layer = Layer.effect(
  Approver,
  Effect.gen(function* () {
    const output = yield* Output
    const questions = yield* Questions
    const answered = (question: string): Effect.Effect<ApprovalAnswer> =>
      Effect.flatMap(questions.ask([question]), (line) => {
        // The cursor still stands behind the question.
        if (line === undefined)
          return Effect.as(output.rawNote("\n"), { _tag: "Unattended" } satisfies ApprovalAnswer)
        const given = ApprovalReply.parse(line)
        return given === undefined ? answered(ApprovalReply.hint) : Effect.succeed(given)
      })
    return Approver.of({
      ask: (_, { tool }) => questions.alone(answered(`cow: allow ${tool}? ${ApprovalReply.hint}`))
    })
  })
)
