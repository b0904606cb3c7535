/** `cow approve RUN` and `cow deny RUN`: the answer of a person to a run that waits. */
import { Agent } from "@cow/agent"
import { Approver } from "@cow/core"
import { McpManager } from "@cow/mcp"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { ExitCode, failed } from "../command/ExitCode.ts"
import { WorkspaceFlag } from "../command/GlobalFlags.ts"
import * as AgentLayers from "../layers/AgentLayers.ts"
import * as App from "../layers/App.ts"
import * as InsideRun from "../run/InsideRun.ts"
import * as ProgressLines from "../run/ProgressLines.ts"
import * as RunEnding from "../run/RunEnding.ts"
import * as StoredRuns from "../run/StoredRuns.ts"
import { Output } from "../terminal/Output.ts"
import { print } from "./run.ts"

/** As long as a server may take to start. */
const connectSeconds = 90

interface Input {
  /** Absent: those that wait are named. */
  readonly run: Option.Option<string>
  readonly output: "text" | "json"
}

const refusals = {
  ModelNotFound: RunEnding.refused.ModelNotFound,
  SessionBusy: RunEnding.refused.SessionBusy,
  RunNotFound: ({ id }: { readonly id: string }) => failed(`there is no run "${id}"`, ExitCode.badInput),
  NotWaiting: ({ runId, status }: { readonly runId: string; readonly status: string }) =>
    failed(`run ${runId} does not wait for approval: it is ${status}`)
}

/** What each command answers. */
const answers = {
  approve: { _tag: "Approved" },
  deny: { _tag: "Refused", end: true }
} as const

const answer = (command: keyof typeof answers) =>
  Effect.fnUntraced(
    function* (input: Input) {
      yield* InsideRun.refuse("answering an approval")
      if (Option.isNone(input.run)) return yield* StoredRuns.unnamed(command)
      const run = yield* StoredRuns.named(input.run.value)
      const given = answers[command]
      const resumed = Effect.gen(function* () {
        const server = given._tag === "Approved" ? run.pending?.server : undefined
        if (server)
          yield* Effect.flatMap(McpManager, (manager) => manager.waitSettled(connectSeconds, [server]))
        yield* print(input.output)
        return yield* Effect.flatMap(Agent, (agent) => agent.resume(run.id, given)).pipe(
          ProgressLines.shown(input.output)
        )
      })
      return yield* resumed.pipe(
        Effect.scoped,
        Effect.provide(AgentLayers.agent.pipe(Layer.provide(Approver.layerUnattended))),
        // The run goes on where it was started, wherever this command is typed.
        Effect.provideService(WorkspaceFlag, Option.some(run.workspace))
      )
    },
    Effect.catchTags(refusals),
    Effect.provide(App.sessions)
  )

/** The call is made and the run goes on to its end; its exit code is the command's. */
export const approve = Effect.fnUntraced(function* (input: Input) {
  yield* RunEnding.exit(yield* answer("approve")(input))
})

/** The call is answered as refused and the run ends. */
export const deny = Effect.fnUntraced(function* (input: Input) {
  const { finished } = yield* answer("deny")(input)
  yield* Effect.flatMap(Output, (output) => output.note(`cow: run ${finished.run_id} is denied and over`))
})
