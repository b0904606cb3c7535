/**
 * Commands that go on after their call: found again by id within their session, read piece by piece, stopped whole.
 * All end with the layer. Starting one is `ShellProcess`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { CallFailed } from "../tool/CallFailure.ts"
import type { ShellExit, ShellProcess } from "./ShellProcess.ts"

/** Jobs remembered; then the oldest finished one is forgotten. A running one never is. */
const maxJobs = 20

export interface Job {
  readonly id: string
  readonly session: string
  readonly command: string
  readonly process: ShellProcess
  /** `undefined` while it runs. */
  readonly exit: () => Exit.Exit<ShellExit, CallFailed> | undefined
  /** Ends it with all it started, and waits for that. */
  readonly stop: Effect.Effect<void>
}

export class BackgroundJobs extends Context.Service<
  BackgroundJobs,
  {
    /** Starts a job that lives until it ends, is stopped, or the layer closes. */
    readonly start: (
      session: string,
      command: string,
      start: Effect.Effect<ShellProcess, CallFailed, Scope.Scope>
    ) => Effect.Effect<Job, CallFailed>
    readonly get: (session: string, id: string) => Effect.Effect<Job | undefined>
    /** Of one session, oldest first. */
    readonly list: (session: string) => Effect.Effect<ReadonlyArray<Job>>
  }
>()("@cow/tools/BackgroundJobs") {
  static readonly layer: Layer.Layer<BackgroundJobs> = Layer.effect(
    BackgroundJobs,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const jobs = new Map<string, Job>()
      let count = 0

      const forget = () => {
        for (const [id, job] of jobs) {
          if (jobs.size <= maxJobs) return
          if (job.exit() !== undefined) jobs.delete(id)
        }
      }

      const start = Effect.fn("BackgroundJobs.start")(function* (
        session: string,
        command: string,
        begin: Effect.Effect<ShellProcess, CallFailed, Scope.Scope>
      ) {
        const own = yield* Scope.fork(scope)
        const process = yield* begin.pipe(
          Scope.provide(own),
          Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
        )
        let ended: Exit.Exit<ShellExit, CallFailed> | undefined
        yield* Effect.exit(process.exit).pipe(
          Effect.tap((exit) =>
            Effect.sync(() => {
              ended = exit
            })
          ),
          // What it left running ends with it.
          Effect.andThen(Effect.forkIn(Scope.close(own, Exit.void), scope)),
          Effect.forkIn(own)
        )
        const id = `bash_${++count}`
        const stop = Effect.andThen(
          Scope.close(own, Exit.void),
          Effect.sync(() => {
            ended ??= Exit.succeed({ code: undefined, signal: undefined, leftRunning: false })
          })
        )
        const job: Job = { id, session, command, process, exit: () => ended, stop }
        jobs.set(id, job)
        forget()
        return job
      })

      return BackgroundJobs.of({
        start,
        get: (session, id) =>
          Effect.sync(() => {
            const job = jobs.get(id)
            return job?.session === session ? job : undefined
          }),
        list: (session) => Effect.sync(() => [...jobs.values()].filter((job) => job.session === session))
      })
    })
  )
}
