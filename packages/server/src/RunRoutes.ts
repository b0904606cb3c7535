/**
 * The routes of runs: start one and stream it, look at it, read its events, answer its approval, cancel, steer.
 *
 * What a run does is `Agent`; answering an approval and cancelling while one waits is `RunApproval`.
 */
import { Agent } from "@cow/agent"
import { type AgentEvent, Models, Permission, RunStore, SessionStore } from "@cow/core"
import { PersonaStore } from "@cow/policy"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ActiveRuns } from "./ActiveRuns.ts"
import * as EventStream from "./EventStream.ts"
import * as HttpFailure from "./HttpFailure.ts"
import { internalFailure } from "./InternalFailure.ts"
import * as Route from "./Route.ts"
import * as RunApproval from "./RunApproval.ts"
import * as RunDocument from "./RunDocument.ts"
import type { ServerSettings } from "./ServerSettings.ts"

const StartBody = Schema.Struct({
  prompt: Schema.String.check(Schema.isPattern(/\S/, { message: "must not be blank" })),
  persona: Schema.optionalKey(Schema.String),
  session: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  permission: Schema.optionalKey(Permission.PermissionMode)
})

const SteerBody = Schema.Struct({
  text: Schema.String.check(Schema.isPattern(/\S/, { message: "must not be blank" }))
})

const internalError: AgentEvent.AgentEvent = {
  type: "error",
  code: "internal",
  message: HttpFailure.internal.message
}

export const make = Effect.fnUntraced(function* (settings: ServerSettings, active: ActiveRuns) {
  const agent = yield* Agent
  const models = yield* Models
  const runs = yield* RunStore
  const sessions = yield* SessionStore
  const personas = yield* PersonaStore
  const approval = yield* RunApproval.make(active)

  const find = (id: string) =>
    runs.get(id).pipe(
      Effect.catchTag("RunNotFound", () => Effect.fail(HttpFailure.runNotFound(id))),
      Effect.catchTag("RunStoreError", internalFailure)
    )

  /** Everything that can be wrong with a request for a run, before the run exists. */
  const toRequest = Effect.fnUntraced(function* (body: typeof StartBody.Type) {
    const { maxPermission, maxSteps, workspace } = settings
    const { permission = maxPermission, persona = "default", prompt, session } = body
    yield* personas.get(persona).pipe(
      Effect.catchTag("PersonaNotFound", () => Effect.fail(HttpFailure.personaNotFound(persona))),
      Effect.catchTag("StateDbError", internalFailure)
    )
    if (session !== undefined)
      yield* sessions.get(session).pipe(
        Effect.catchTag("SessionNotFound", () => Effect.fail(HttpFailure.sessionNotFound(session))),
        Effect.catchTag("SessionStoreError", internalFailure)
      )
    if (Permission.stricter(permission, maxPermission) !== permission)
      return yield* HttpFailure.invalidBody(`permission: this server allows no more than ${maxPermission}`)
    const model = body.model ?? settings.defaultModelId
    yield* Effect.mapError(models.get(model), ({ message }) => HttpFailure.invalidBody(`model: ${message}`))
    const run = { prompt, model, persona, permission, workspace, maxSteps }
    return session === undefined ? run : { ...run, sessionId: session }
  })

  const start = Effect.fnUntraced(function* ({
    body,
    request
  }: Route.RouteInput & { readonly body: typeof StartBody.Type }) {
    const runRequest = yield* toRequest(body)
    // Unbounded: a client that stops reading must not keep a cancelled run from writing its last events.
    const queue = yield* Queue.unbounded<AgentEvent.AgentEvent, Cause.Done>()
    const fiber = yield* active.launch(Effect.ensuring(agent.run(runRequest), Queue.end(queue)), (event) =>
      Queue.offer(queue, event)
    )
    yield* Effect.addFinalizer(() => Fiber.interrupt(fiber))

    // A run that cannot start has no events: the answer then says why, with a status of its own.
    const first = yield* Effect.option(Queue.take(queue))
    if (first._tag === "None") return yield* startFailure(yield* Fiber.await(fiber))
    const crash = Stream.unwrap(
      Effect.map(Fiber.await(fiber), (exit) =>
        Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
          ? Stream.make(internalError)
          : Stream.empty
      )
    )
    const events = Stream.make(first.value).pipe(Stream.concat(Stream.fromQueue(queue)), Stream.concat(crash))
    return EventStream.response(EventStream.wanted(request.headers.accept), events)
  })

  const routes: ReadonlyArray<Route.Route> = [
    {
      method: "POST",
      path: "/api/runs",
      summary: "Starts a run and streams its events. A client that goes away cancels it.",
      ok: { status: 200, description: "The events of the run", contentTypes: EventStream.contentTypes },
      errors: { 404: ["persona_not_found", "session_not_found"], 409: ["session_busy"], 422: [] },
      ...Route.withBody(StartBody, start)
    },
    {
      method: "GET",
      path: "/api/runs/{id}",
      summary: "A run: its status, and the call it waits for",
      ok: { status: 200, description: "The run" },
      errors: { 404: ["run_not_found"] },
      handle: ({ params: { id = "" } }) =>
        Effect.map(find(id), (run) => HttpServerResponse.jsonUnsafe(RunDocument.make(run)))
    },
    {
      method: "GET",
      path: "/api/runs/{id}/events",
      summary: "The stored events of a run, in order",
      query: { after_sequence: "Only events with a greater sequence number" },
      ok: { status: 200, description: "`{events}`, each with its `sequence`" },
      errors: { 404: ["run_not_found"], 422: ["invalid_query"] },
      handle: Effect.fnUntraced(function* ({ params: { id = "" }, query }) {
        const after = query.get("after_sequence") ?? "0"
        if (!/^\d{1,15}$/.test(after))
          return yield* HttpFailure.invalidQuery("after_sequence: must be a whole number, 0 or more")
        yield* find(id)
        const events = yield* runs.events(id, Number(after)).pipe(
          Effect.catchTag("RunNotFound", () => Effect.fail(HttpFailure.runNotFound(id))),
          Effect.catchTag("RunStoreError", internalFailure)
        )
        return HttpServerResponse.jsonUnsafe({ events: events.map(RunDocument.event) })
      })
    },
    {
      method: "POST",
      path: "/api/runs/{id}/approval",
      summary: "Answers the call that the run waits for; the run goes on by itself",
      ok: { status: 200, description: "`{run, approved}`" },
      errors: { 404: ["run_not_found"], 409: ["invalid_approval", "session_busy"], 422: [] },
      ...Route.withBody(RunApproval.ApprovalBody, ({ body, params: { id = "" } }) =>
        Effect.gen(function* () {
          const run = yield* find(id)
          yield* approval.answer(run, body)
          return HttpServerResponse.jsonUnsafe({
            run: RunDocument.make(yield* find(id)),
            approved: body.approved
          })
        })
      )
    },
    {
      method: "POST",
      path: "/api/runs/{id}/cancel",
      summary: "Ends the run. Again: the same answer, and nothing changes",
      ok: { status: 200, description: "The run" },
      errors: { 404: ["run_not_found"], 409: ["run_terminal", "run_not_active"] },
      handle: ({ params: { id = "" } }) =>
        Effect.gen(function* () {
          yield* approval.cancel(yield* find(id))
          const run = yield* find(id)
          if (run.status !== "cancelled")
            return yield* HttpFailure.runTerminal(`run ${id} is ${run.status} already`)
          return HttpServerResponse.jsonUnsafe(RunDocument.make(run))
        })
    },
    {
      method: "POST",
      path: "/api/runs/{id}/steer",
      summary: "Puts a text into a run that is under way",
      ok: { status: 202, description: "The text reaches the model with its next request" },
      errors: { 404: ["run_not_found"], 409: ["run_terminal", "run_not_active"], 422: [] },
      ...Route.withBody(SteerBody, ({ body, params: { id = "" } }) =>
        Effect.gen(function* () {
          const run = yield* find(id)
          yield* approval.mustBeOpen(run)
          switch (yield* agent.steer(run.sessionId, body.text)) {
            case "accepted":
              return HttpServerResponse.jsonUnsafe({ run_id: id }, { status: 202 })
            case "invalid":
              return yield* HttpFailure.invalidBody("text: this text cannot be sent")
            case "full":
              return yield* HttpFailure.invalidBody("text: too many texts wait already")
            case "closing":
              return yield* HttpFailure.runTerminal(`run ${id} is just ending`)
            case "inactive":
              return yield* HttpFailure.runNotActive(
                run.status === "waiting_approval"
                  ? `run ${id} waits for an approval`
                  : `run ${id} is not worked on by this server`
              )
          }
        })
      )
    }
  ]
  return routes
})

/** Why a run gave no event. */
const startFailure = (
  exit: Exit.Exit<unknown, { readonly _tag: string }>
): Effect.Effect<never, HttpFailure.HttpFailure> => {
  if (Exit.isSuccess(exit)) return Effect.fail(HttpFailure.internal)
  const failure = exit.cause.reasons.find(Cause.isFailReason)?.error
  switch (failure?._tag) {
    case "SessionBusy":
      return Effect.fail(HttpFailure.sessionBusy("another run is under way in this session"))
    case "SessionWaiting":
      return Effect.fail(HttpFailure.sessionBusy("a run of this session waits for an approval"))
    default:
      return internalFailure(exit.cause)
  }
}
