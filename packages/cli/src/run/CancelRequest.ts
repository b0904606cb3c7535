/**
 * How `cow runs cancel` reaches the process that works on a run: an empty file named for the run in the user's home,
 * which every process looks for while it lives. What cancelling does is the agent's.
 */
import { Agent } from "@cow/agent"
import { Events, PlatformFault } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Schedule from "effect/Schedule"
import { UserHome } from "../settings/UserHome.ts"

/** How long it takes until a running process sees a request, at most. */
const lookEvery = "500 millis"

/** Asks for as long as the scope is open. */
export const send = Effect.fnUntraced(function* (runId: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { paths } = yield* UserHome
  const file = path.join(paths.cancelRequests, path.basename(runId))
  yield* fs.makeDirectory(paths.cancelRequests, { recursive: true })
  yield* Effect.acquireRelease(fs.writeFileString(file, ""), () =>
    fs
      .remove(file, { force: true })
      .pipe(
        Effect.catch((error) =>
          Effect.logWarning(`${file} cannot be removed: ${PlatformFault.describe(error)}`)
        )
      )
  )
})

/** What a fiber is at work on; its run is known from its first event on. */
const CurrentWork = Context.Reference<Fiber.Fiber<unknown, unknown> | null>("@cow/cli/CurrentWork", {
  defaultValue: () => null
})

/** The agent whose runs here end when a request names them: whoever waits for such a run is interrupted with it. */
export const layer = Layer.effect(
  Agent,
  Effect.gen(function* () {
    const agent = yield* Agent
    const events = yield* Events
    const fs = yield* FileSystem.FileSystem
    const { paths } = yield* UserHome
    const working = new Map<string, Fiber.Fiber<unknown, unknown>>()

    yield* events.addSink((runId, event) =>
      event.type === "run_started"
        ? Effect.map(CurrentWork, (fiber) => void (fiber !== null && working.set(runId, fiber)))
        : Effect.void
    )
    const tracked = <A, E, R>(work: Effect.Effect<A, E, R>, runId?: string): Effect.Effect<A, E, R> =>
      Effect.withFiber((fiber) => {
        if (runId !== undefined) working.set(runId, fiber)
        return work.pipe(
          Effect.provideService(CurrentWork, fiber),
          Effect.ensuring(
            Effect.sync(() => {
              for (const [id, one] of working) if (one === fiber) working.delete(id)
            })
          )
        )
      })

    const look = Effect.gen(function* () {
      if (working.size === 0) return
      // No folder: nobody has ever asked.
      const asked = yield* Effect.orElseSucceed(
        fs.readDirectory(paths.cancelRequests),
        (): Array<string> => []
      )
      for (const id of asked) {
        const fiber = working.get(id)
        if (fiber === undefined) continue
        working.delete(id)
        yield* Effect.logInfo(`run ${id} is cancelled by cow runs cancel`)
        fiber.interruptUnsafe()
      }
    })
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookEvery)))

    return Agent.of({
      ...agent,
      run: (request) => tracked(agent.run(request)),
      resume: (runId, answer) => tracked(agent.resume(runId, answer), runId)
    })
  })
)
