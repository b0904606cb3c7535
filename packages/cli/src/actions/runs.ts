/** `cow runs …`: which runs there are, what they wait for, and the end of one that nobody wants any more. */
import { Agent } from "@cow/agent"
import { Approver, Run, RunStore } from "@cow/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { ExitCode, failed } from "../command/ExitCode.ts"
import { WorkspaceFlag } from "../command/GlobalFlags.ts"
import * as AgentLayers from "../layers/AgentLayers.ts"
import * as App from "../layers/App.ts"
import * as CancelRequest from "../run/CancelRequest.ts"
import * as InsideRun from "../run/InsideRun.ts"
import * as PageFlags from "../run/PageFlags.ts"
import * as StoredRuns from "../run/StoredRuns.ts"
import { Output } from "../terminal/Output.ts"
import * as Table from "../terminal/Table.ts"

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

const document = (run: Run.Run) => ({
  id: run.id,
  status: run.status,
  session_id: run.sessionId,
  persona: run.persona,
  model: run.model,
  permission: run.permission,
  workspace: run.workspace,
  steps: run.steps,
  waits_for:
    run.pending === null
      ? null
      : {
          call_id: run.pending.callId,
          tool: run.pending.tool,
          server: run.pending.server,
          input: run.pending.input,
          reason: run.pending.reason
        },
  error: run.error,
  created_at: iso(run.createdAt),
  updated_at: iso(run.updatedAt)
})

interface ListInput extends PageFlags.PageFlags {
  readonly session: Option.Option<string>
  readonly status: Option.Option<Run.RunStatus>
  readonly json: boolean
}

export const list = Effect.fnUntraced(function* (input: ListInput) {
  const { json, session, status } = input
  const output = yield* Output
  const page = yield* PageFlags.request(input)
  yield* Effect.flatMap(RunStore, ({ endInterrupted }) => endInterrupted)
  const { items, next } = yield* Effect.flatMap(RunStore, (store) =>
    store.list({
      ...page,
      ...(Option.isSome(session) ? { sessionId: session.value } : {}),
      ...(Option.isSome(status) ? { status: status.value } : {})
    })
  )
  if (json) return yield* output.json({ runs: items.map(document), next: PageFlags.nextText(next) })
  const rows = items.map((run) => [
    run.id,
    run.status,
    run.sessionId,
    run.persona,
    iso(run.updatedAt).slice(0, 16),
    StoredRuns.waitsFor(run) || (run.error ?? "")
  ])
  yield* output.text(Table.render(["ID", "STATUS", "SESSION", "PERSONA", "CHANGED", "WAITS FOR"], rows))
  const narrowed = [
    ...(Option.isSome(session) ? [`--session=${session.value}`] : []),
    ...(Option.isSome(status) ? [`--status ${status.value}`] : [])
  ]
  yield* PageFlags.tellNext(["cow runs list", ...narrowed].join(" "), next)
}, Effect.provide(App.sessions))

const facts = (run: Run.Run): ReadonlyArray<ReadonlyArray<string>> => [
  ["id", run.id],
  ["status", run.status],
  ["session", run.sessionId],
  ["persona", run.persona],
  ["model", run.model || "none: a single call"],
  ["permission", run.permission],
  ["workspace", run.workspace],
  ["steps", String(run.steps)],
  ["begun", iso(run.createdAt)],
  ["changed", iso(run.updatedAt)],
  ...(run.pending === null
    ? []
    : [
        ["waits for", run.pending.tool],
        ["input", JSON.stringify(run.pending.input)],
        ["because", run.pending.reason],
        ["to answer", `cow approve ${run.id} or cow deny ${run.id}`]
      ]),
  ...(run.error === null ? [] : [["error", run.error]])
]

export const show = Effect.fnUntraced(function* (input: { readonly run: string; readonly json: boolean }) {
  const output = yield* Output
  yield* Effect.flatMap(RunStore, ({ endInterrupted }) => endInterrupted)
  const run = yield* StoredRuns.named(input.run)
  if (input.json) return yield* output.json(document(run))
  yield* output.text(Table.render(["WHAT", "IS"], facts(run)))
}, Effect.provide(App.sessions))

/** A process looks every half second; the call that it makes may need a moment to stop. */
const patienceSeconds = 10

/** It ends here: no model and no server is needed. */
const endWaiting = (run: Run.Run) =>
  Effect.flatMap(Agent, (agent) => agent.resume(run.id, { _tag: "Cancelled" })).pipe(
    Effect.provide(AgentLayers.ownCalls.pipe(Layer.provide(Approver.layerUnattended))),
    Effect.provideService(WorkspaceFlag, Option.some(run.workspace))
  )

/** The process that works on it ends it. Gives what became of the run. */
const endElsewhere = Effect.fnUntraced(function* ({ id }: Run.Run) {
  const store = yield* RunStore
  yield* CancelRequest.send(id)
  return yield* store.get(id).pipe(
    Effect.repeat({
      until: ({ status }) => status !== "running" && status !== "queued",
      schedule: Schedule.spaced("100 millis")
    }),
    Effect.timeoutOrElse({ duration: `${patienceSeconds} seconds`, orElse: () => store.get(id) })
  )
}, Effect.scoped)

export const cancel = Effect.fnUntraced(
  function* (input: { readonly run: string }) {
    yield* InsideRun.refuse("cancelling a run")
    const output = yield* Output
    yield* Effect.flatMap(RunStore, ({ endInterrupted }) => endInterrupted)
    const found = yield* StoredRuns.named(input.run)
    if (found.status === "cancelled") return yield* output.note(`cow: run ${found.id} is cancelled already`)
    if (Run.isFinal(found.status))
      return yield* failed(`run ${found.id} is over: it is ${found.status}`, ExitCode.badInput)
    const run = found.status === "waiting_approval" ? found : yield* endElsewhere(found)
    if (run.status === "waiting_approval") yield* endWaiting(run)
    else if (run.status !== "cancelled")
      return yield* failed(
        Run.isFinal(run.status)
          ? `run ${run.id} came to its own end before: it is ${run.status}`
          : `run ${run.id} is worked on by another process, which has not ended it within ${patienceSeconds} s; end that process`
      )
    yield* output.note(`cow: run ${run.id} is cancelled`)
  },
  Effect.catchTags({
    RunNotFound: ({ id }) => failed(`run "${id}" is there no more`, ExitCode.badInput),
    NotWaiting: ({ runId, status }) => failed(`run ${runId} was answered meanwhile: it is ${status}`)
  }),
  Effect.provide(App.sessions)
)
