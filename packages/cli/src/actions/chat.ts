/** `cow chat`: a conversation, one message a line. With a terminal a person types; without one a program writes. */
import type { RunOutcome } from "@cow/agent"
import { AgentEvent } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ApprovalReply from "../chat/ApprovalReply.ts"
import * as ChatApprover from "../chat/ChatApprover.ts"
import * as ChatInterrupt from "../chat/ChatInterrupt.ts"
import * as ChatLine from "../chat/ChatLine.ts"
import * as ChatSession from "../chat/ChatSession.ts"
import * as FormDialogue from "../chat/FormDialogue.ts"
import { CommandFailed, ExitCode } from "../command/ExitCode.ts"
import * as AgentLayers from "../layers/AgentLayers.ts"
import * as ProgressLines from "../run/ProgressLines.ts"
import * as RunEnding from "../run/RunEnding.ts"
import * as RunSetup from "../run/RunSetup.ts"
import * as ServerWait from "../run/ServerWait.ts"
import { Environment } from "../settings/Environment.ts"
import { Output } from "../terminal/Output.ts"
import * as Questions from "../terminal/Questions.ts"
import * as StandardInput from "../terminal/StandardInput.ts"
import * as Table from "../terminal/Table.ts"
import { print } from "./run.ts"

const complainTo =
  (output: Output["Service"], format: "text" | "json") => (complaint: ChatSession.Complaint) =>
    format === "json"
      ? output.raw(`${AgentEvent.toLine({ type: "error", ...complaint })}\n`)
      : output.note(`cow: ${complaint.message}`)

/** A waiting approval and a failure are told by the exit code; a cancelled run is not: the chat went on. */
const codeOf = (last: RunOutcome | undefined): ExitCode => {
  const status = last?.finished.status
  return last !== undefined && (status === "waiting_approval" || status === "failed")
    ? RunEnding.codeOf(last)
    : ExitCode.ok
}

/** While a call waits, a text that answers is the answer; any other is kept for the next message. */
const asAnswer = Effect.fnUntraced(function* (line: ChatLine.ChatLine) {
  const answers = yield* ChatApprover.PendingAnswers
  if (line._tag !== "User" || !(yield* answers.waiting)) return line
  const answer = ApprovalReply.parse(line.text)
  if (answer === undefined) {
    yield* Effect.flatMap(Output, (output) =>
      output.note(`cow: kept for the next message; the call still waits: ${ApprovalReply.hint}`)
    )
    return line
  }
  const meant: ChatLine.ChatLine =
    answer._tag === "Approved"
      ? { _tag: "Approve", callId: undefined }
      : { _tag: "Deny", callId: undefined, reason: answer.reason }
  return meant
})

/** A person at a terminal fills in forms of servers; a program's are declined. */
const formsFor = ({ output }: RunSetup.RunFlags) =>
  Effect.map(Environment, ({ terminal }) =>
    output === "text" && terminal.stdin && terminal.stderr
      ? Layer.provideMerge(FormDialogue.layer, Questions.layerChat)
      : Questions.layerChat
  )

const talk = Effect.fnUntraced(
  function* (flags: RunSetup.RunFlags) {
    const output = yield* Output
    const { terminal } = yield* Environment
    const typed = terminal.stdin && flags.output === "text"
    // First of all: nobody must approve what was asked before it could be shown.
    yield* print(flags.output, typed ? { approvalHint: ApprovalReply.hint } : {})
    const setup = yield* RunSetup.make(flags)
    yield* ServerWait.before(flags)
    const ask = typed && terminal.stderr ? output.rawNote("› ") : Effect.void
    if (typed) yield* output.note(`${setup.model} in ${setup.workspace}; /help lists the commands`)
    const chat = yield* ChatSession.make(setup, {
      complain: complainTo(output, flags.output),
      onIdle: ask,
      wait: flags.wait
    }).pipe(ServerWait.asSaid(flags), ProgressLines.shown(flags.output))
    yield* ask
    const forms = yield* Questions.QuestionLines
    const talking = StandardInput.lines.pipe(
      // A form that waits takes the line, whatever it says.
      Stream.filterEffect((line) => Effect.map(forms.take(line), (isTaken) => !isTaken)),
      Stream.ensuring(forms.close),
      Stream.map(typed ? ChatLine.parseTyped : ChatLine.parse),
      Stream.takeWhile(({ _tag }) => _tag !== "Quit"),
      Stream.mapEffect((line) => (typed ? asAnswer(line) : Effect.succeed(line))),
      Stream.runForEach((line) =>
        Effect.gen(function* () {
          if (line._tag === "Help")
            yield* output.rawNote(Table.render(["COMMAND", "DOES"], ChatLine.commands))
          else yield* chat.take(line)
          if (line._tag !== "User" && (yield* chat.isIdle)) yield* ask
        })
      )
    )
    if (!typed) {
      yield* talking
      return yield* chat.finish
    }
    const once = Effect.andThen(
      output.note(""),
      Effect.andThen(output.note("Ctrl-C again, or /quit, ends the chat"), ask)
    )
    yield* Effect.raceFirst(talking, yield* ChatInterrupt.make(chat, once))
    return yield* chat.finish
  },
  Effect.scoped,
  (effect, flags) =>
    Effect.flatMap(formsFor(flags), (forms) =>
      Effect.provide(
        effect,
        AgentLayers.agentOf(flags.model).pipe(Layer.provideMerge(Layer.merge(ChatApprover.layer, forms)))
      )
    )
)

export const chat = Effect.fnUntraced(function* (flags: RunSetup.RunFlags) {
  const code = codeOf(yield* talk(flags))
  if (code !== ExitCode.ok) return yield* new CommandFailed({ code, message: "" })
})
