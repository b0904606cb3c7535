/**
 * One shell command as a process group: started with nothing to read, its output captured, ended whole with its
 * scope. What is said of it is `BashTool`; keeping one beyond its call is `BackgroundJobs`.
 */
import type { Tool } from "@cow/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import { type ChildProcessHandle, ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import { SecretFiles } from "../files/SecretFiles.ts"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import { because, CallFailed } from "../tool/CallFailure.ts"
import * as SecretValues from "../tool/SecretValues.ts"
import * as OutputCapture from "./OutputCapture.ts"
import * as ProcessGroup from "./ProcessGroup.ts"
import * as ProcessSignal from "./ProcessSignal.ts"
import * as ShellProgram from "./ShellProgram.ts"

/** After its exit a command's output is waited for this long: what it left running may hold the pipe for ever. */
const pipeGrace = "300 millis"
/** Between asking a process group to end and ending it. */
const forceKillAfter = "1 second"

export interface ShellExit {
  /** `undefined`: ended by a signal. */
  readonly code: number | undefined
  readonly signal: ProcessSignal.ProcessSignal | undefined
  /** True: something it started is still there. */
  readonly leftRunning: boolean
}

export interface ShellProcess {
  readonly pid: number
  readonly stdout: OutputCapture.OutputCapture
  readonly stderr: OutputCapture.OutputCapture
  /** Waits for the exit and for the output until then. */
  readonly exit: Effect.Effect<ShellExit, CallFailed>
}

/** A command ended by a signal has no exit code: the platform tells it as a failure that names it in its text only. */
const signalOf = ({ reason }: PlatformError): ProcessSignal.ProcessSignal | undefined => {
  const [name] = /\bSIG[A-Z0-9]+\b/.exec(String(reason.cause)) ?? []
  return name === undefined ? undefined : ProcessSignal.named(name)
}

/** Starts commands; the services of a layer, bound once. */
export const make = Effect.fnUntraced(function* (settings: BuiltinSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner
  const { paths } = yield* SecretFiles

  const secrets = Effect.map(
    Effect.forEach(paths, (file) => Effect.orElseSucceed(fs.readFileString(file), () => "")),
    (texts) => texts.flatMap(SecretValues.secretsIn)
  )

  const spawn = (shell: string, command: string, { runId, workspace }: Tool.ToolContext) =>
    spawner.spawn(
      ChildProcess.make(shell, ["-c", command], {
        cwd: workspace,
        env: { ...settings.env, COW_RUN_ID: runId },
        stdin: "ignore",
        detached: true,
        forceKillAfter
      })
    )

  const start = Effect.fn("ShellProcess.start")(function* (command: string, call: Tool.ToolContext) {
    const known = yield* secrets
    const stdout = yield* OutputCapture.make(settings.outputFolder, known)
    const stderr = yield* OutputCapture.make(settings.outputFolder, known)
    const exists = yield* Effect.orElseSucceed(fs.exists(call.workspace), () => false)
    if (!exists) return yield* new CallFailed({ message: `the workspace ${call.workspace} does not exist` })
    const shell = yield* ShellProgram.find(settings.env)
    const handle: ChildProcessHandle = yield* Effect.mapError(
      spawn(shell.file, command, call),
      because("cannot start a shell")
    )
    const closed = yield* Deferred.make<void>()
    const drain = (stream: Stream.Stream<Uint8Array, PlatformError>, capture: OutputCapture.OutputCapture) =>
      stream.pipe(
        Stream.mapError(because("cannot read the command's output")),
        Stream.runForEach(capture.push)
      )
    const failure = yield* Deferred.make<never, CallFailed>()
    yield* Effect.all([drain(handle.stdout, stdout), drain(handle.stderr, stderr)], {
      concurrency: 2,
      discard: true
    }).pipe(
      Effect.matchEffect({
        onFailure: (error) => Deferred.fail(failure, error),
        onSuccess: () => Deferred.succeed(closed, undefined)
      }),
      Effect.forkScoped
    )
    const code = handle.exitCode.pipe(
      Effect.map((code) => ({ code, signal: undefined })),
      Effect.catch((error) => Effect.succeed({ code: undefined, signal: signalOf(error) }))
    )
    const exit = Effect.gen(function* () {
      const ended = yield* code
      yield* Effect.timeoutOption(Deferred.await(closed), pipeGrace)
      yield* Effect.andThen(stdout.end, stderr.end)
      return { ...ended, leftRunning: yield* ProcessGroup.isAlive(handle.pid) } satisfies ShellExit
    }).pipe(Effect.raceFirst(Deferred.await(failure)))
    return { pid: handle.pid, stdout, stderr, exit } satisfies ShellProcess
  })

  return (command: string, call: Tool.ToolContext) =>
    start(command, call).pipe(
      Effect.provideService(FileSystem.FileSystem, fs),
      Effect.provideService(Path.Path, path)
    )
})
