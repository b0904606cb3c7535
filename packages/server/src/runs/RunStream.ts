/**
 * Starting a run for a request and answering with its events as they happen. What can be wrong with the request is
 * said before the run exists; a client that goes away cancels it.
 */
import { Agent } from "@cow/agent"
import { type AgentEvent, Models, Permission, PersonaStore, SessionStore } from "@cow/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as HttpFailure from "../failure/HttpFailure.ts"
import { internalFailure } from "../failure/InternalFailure.ts"
import { CurrentSettings } from "../ServerSettings.ts"
import { ActiveRuns } from "./ActiveRuns.ts"
import * as EventStream from "./EventStream.ts"
import type { StartBody } from "./RunsGroup.ts"

const internalError: AgentEvent.AgentEvent = {
  type: "error",
  code: "internal",
  message: HttpFailure.internal.message
}

/** Why a run gave no event. */
const startFailure = (exit: Exit.Exit<unknown, { readonly _tag: string; readonly message: string }>) => {
  if (Exit.isSuccess(exit)) return Effect.fail(HttpFailure.internal)
  const failure = exit.cause.reasons.find(Cause.isFailReason)?.error
  switch (failure?._tag) {
    case "SessionBusy":
      return Effect.fail(HttpFailure.sessionBusy(failure.message))
    case "ModelNotFound":
      return Effect.fail(HttpFailure.invalidBody(`model: ${failure.message}`))
    case "SessionWaiting":
      return Effect.fail(HttpFailure.sessionBusy("a run of this session waits for an approval"))
    default:
      return internalFailure(exit.cause)
  }
}

export const make = Effect.gen(function* () {
  const agent = yield* Agent
  const active = yield* ActiveRuns
  const models = yield* Models
  const sessions = yield* SessionStore
  const personas = yield* PersonaStore
  const settings = yield* CurrentSettings

  /** Everything that can be wrong with a request for a run, before the run exists. */
  const toRequest = Effect.fnUntraced(function* (body: typeof StartBody.Type) {
    const { maxPermission, maxSteps, workspace } = settings
    const { permission = maxPermission, persona = "default", prompt, session } = body
    yield* personas.get(persona).pipe(
      Effect.catchTag("PersonaNotFound", () => Effect.fail(HttpFailure.personaNotFound(persona))),
      Effect.catchTag("PersonaStoreError", internalFailure)
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

  /** The scope is the request's: it closes when the answer is sent to its end, or the client is gone. */
  return Effect.fn("RunStream.start")(function* (body: typeof StartBody.Type, accept: string | undefined) {
    const runRequest = yield* toRequest(body)
    // Unbounded: a client that stops reading must not keep a cancelled run from writing its last events.
    const queue = yield* Queue.unbounded<AgentEvent.AgentEvent, Cause.Done>()
    const fiber = yield* Effect.acquireRelease(
      active.launch(Effect.ensuring(agent.run(runRequest), Queue.end(queue)), (event) =>
        Queue.offer(queue, event)
      ),
      Fiber.interrupt
    )

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
    return EventStream.response(EventStream.wanted(accept), events)
  })
})
