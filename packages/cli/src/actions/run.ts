/** `cow run [PROMPT]`: one message worked off. */
import { Agent } from "@cow/agent"
import { Approver, Events } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as FormDialogue from "../chat/FormDialogue.ts"
import { badUsage } from "../command/ExitCode.ts"
import { QuietFlag } from "../command/GlobalFlags.ts"
import * as AgentLayers from "../layers/AgentLayers.ts"
import * as ProgressLines from "../run/ProgressLines.ts"
import * as RunEnding from "../run/RunEnding.ts"
import * as RunSetup from "../run/RunSetup.ts"
import * as ServerWait from "../run/ServerWait.ts"
import * as SessionWait from "../run/SessionWait.ts"
import * as TerminalApprover from "../run/TerminalApprover.ts"
import { Environment } from "../settings/Environment.ts"
import * as EventPrinter from "../terminal/EventPrinter.ts"
import { Interrupts } from "../terminal/Interrupts.ts"
import { Output } from "../terminal/Output.ts"
import * as Questions from "../terminal/Questions.ts"
import * as ReaderWatch from "../terminal/ReaderWatch.ts"
import * as StandardInput from "../terminal/StandardInput.ts"

/** Absent or `-`: all of standard input. */
const promptOf = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const { terminal } = yield* Environment
  if (Option.isNone(given) && terminal.stdin) return yield* badUsage("cow run: PROMPT is missing")
  const read = Option.isNone(given) || given.value === "-"
  const prompt = read ? yield* StandardInput.whole : given.value
  if (prompt.trim() === "") return yield* badUsage("cow run: the prompt is empty")
  return read ? prompt.trimEnd() : prompt
})

/** Prints the events of this process's runs as the flags want them. */
export const print = Effect.fnUntraced(function* (
  format: "text" | "json",
  more: Pick<EventPrinter.PrinterOptions, "approvalHint"> = {}
) {
  const output = yield* Output
  const { terminal } = yield* Environment
  const quiet = yield* QuietFlag
  const live = terminal.stdout && terminal.stderr
  const { leave } = yield* Interrupts
  yield* Effect.forkScoped(Effect.andThen(ReaderWatch.gone, Effect.sync(leave)))
  yield* Effect.flatMap(Events, (events) =>
    events.addSink(EventPrinter.sink(output, { format, live, quiet, ...more }), { patient: true })
  )
})

type Input = RunSetup.RunFlags & { readonly prompt: Option.Option<string> }

const work = Effect.fnUntraced(
  function* <E, R>(prompt: string, flags: Input, _approver: Layer.Layer<Approver, E, R>) {
    const setup = yield* RunSetup.make(flags)
    yield* ServerWait.before(flags)
    yield* print(flags.output)
    const agent = yield* Agent
    const run = SessionWait.untilFree(flags.wait, agent.run({ ...setup, prompt })).pipe(
      ServerWait.asSaid(flags),
      ProgressLines.shown(flags.output)
    )
    return yield* Effect.tap(run, ServerWait.tellInterrupted)
  },
  Effect.catchTags(RunEnding.refused),
  Effect.scoped,
  (effect, _, { model }, approver) =>
    Effect.provide(effect, AgentLayers.agentOf(model).pipe(Layer.provide(approver)))
)

/** A person can be asked where the question is seen and the answer is not the prompt. */
const approverFor = Effect.fnUntraced(function* ({ output, prompt }: Input) {
  const { terminal } = yield* Environment
  const asked =
    output === "text" && terminal.stdin && terminal.stderr && Option.isSome(prompt) && prompt.value !== "-"
  return asked
    ? Layer.provide(Layer.merge(TerminalApprover.layer, FormDialogue.layer), Questions.layer)
    : Approver.layerUnattended
})

/** The prompt is read before anything is started; the code is given after everything has ended. */
export const run = Effect.fnUntraced(function* (flags: Input) {
  const prompt = yield* promptOf(flags.prompt)
  yield* RunEnding.exit(yield* work(prompt, flags, yield* approverFor(flags)))
})
