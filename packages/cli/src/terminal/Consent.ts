/** A yes or no of the person at the terminal, about something a command is going to do. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Environment } from "../settings/Environment.ts"
import { Output } from "./Output.ts"
import * as StandardInput from "./StandardInput.ts"

const asks = Effect.map(Environment, ({ terminal }) => terminal.stdin && terminal.stderr)

const answer = Effect.fnUntraced(function* (question: string) {
  yield* Effect.flatMap(Output, (output) => output.rawNote(`${question} [y/N] `))
  const line = yield* Stream.runHead(StandardInput.lines)
  return Option.exists(line, (text) => /^\s*y(es)?\s*$/i.test(text))
})

/** For what was not asked for: no terminal, no yes. */
export const ifYes = (question: string) =>
  Effect.flatMap(asks, (terminal) => (terminal ? answer(question) : Effect.succeed(false)))

/** For what the command line asked for itself: without a terminal that is the yes. */
export const unlessNo = (question: string) =>
  Effect.flatMap(asks, (terminal) => (terminal ? answer(question) : Effect.succeed(true)))
