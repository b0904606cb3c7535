/**
 * `bash`: a command in the workspace, in the foreground up to its timeout or as a background job. Processes are
 * `ShellProcess` and `BackgroundJobs`, wording is `BashResult`, what a command may do is `BashPermission`.
 */
import { type Tool, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import * as BuiltinTool from "../tool/BuiltinTool.ts"
import { failed } from "../tool/CallFailure.ts"
import { BackgroundJobs, type Job } from "./BackgroundJobs.ts"
import * as BashPermission from "./BashPermission.ts"
import * as BashProgress from "./BashProgress.ts"
import * as BashResult from "./BashResult.ts"
import type { Captured } from "./OutputCapture.ts"
import * as ShellProcess from "./ShellProcess.ts"

const defaultTimeoutSeconds = 120
const maxTimeoutSeconds = 600

const Input = Schema.Struct({
  command: Schema.optionalKey(
    Schema.String.annotate({ description: "The command, run by bash in the workspace." })
  ),
  timeout: Schema.optionalKey(
    Schema.Number.annotate({
      description: "Seconds it may take, to 600; 120 if absent. Longer: run_in_background."
    })
  ),
  run_in_background: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "True: give an id back at once and let it run." })
  ),
  bash_id: Schema.optionalKey(
    Schema.String.annotate({ description: "A background command: give its new output, in place of command." })
  ),
  kill: Schema.optionalKey(Schema.Boolean.annotate({ description: "True, with bash_id: stop it." }))
})

const left =
  "\n[what the command left running was stopped; use run_in_background to keep something running between calls]"

/** How a finished command answers. `text` is its output, `stderr` all that it said of errors. */
const finished = Effect.fnUntraced(function* (
  command: string,
  exit: ShellProcess.ShellExit,
  text: string,
  stderr: Captured,
  note = exit.leftRunning ? left : ""
) {
  const { code } = exit
  const structured = { exit_code: code ?? null }
  if (code === 0) return ToolResult.ok(text + note, { structured })
  if (code === 1 && (yield* BashResult.isSoft(command)))
    return ToolResult.ok(`${text}\n[exit code 1: nothing found, or not equal, or not true]${note}`, {
      structured
    })
  return ToolResult.failed(`${text}\n[${BashResult.ending(exit, stderr)}]${note}`, { structured })
})

const manual = ({ id }: Job): string =>
  `Read its output with {"bash_id": "${id}"}, stop it with {"bash_id": "${id}", "kill": true}.`

export const make = Effect.fnUntraced(function* (settings: BuiltinSettings) {
  const jobs = yield* BackgroundJobs
  const start = yield* ShellProcess.make(settings)
  const permission = yield* BashPermission.make(settings)

  const foreground = Effect.fn("BashTool.foreground")(function* (
    command: string,
    seconds: number,
    call: Tool.ToolContext
  ) {
    const process = yield* start(command, call)
    yield* Effect.forkScoped(BashProgress.tell(process, call))
    const exit = yield* Effect.timeoutOption(process.exit, `${seconds} seconds`)
    const stderr = yield* process.stderr.captured
    const text = BashResult.output(yield* process.stdout.captured, stderr)
    if (Option.isSome(exit)) return yield* finished(command, exit.value, text, stderr)
    return ToolResult.timeout(
      `${text}\n[stopped after ${seconds} s with all it had started; its work may be half done]`
    )
  }, Effect.scoped)

  const known = (session: string) =>
    Effect.map(jobs.list(session), (all) =>
      all.length === 0
        ? "no background commands are tracked"
        : `known ids: ${all.map(({ id }) => id).join(", ")}`
    )

  const background = Effect.fn("BashTool.background")(function* (
    id: string,
    kill: boolean,
    call: Tool.ToolContext
  ) {
    const job = yield* jobs.get(call.sessionId, id)
    if (job === undefined)
      return yield* failed(`no background command ${id}; ${yield* known(call.sessionId)}`)
    const before = job.exit()
    if (kill) yield* job.stop
    const { stderr, stdout } = job.process
    const text = BashResult.output(yield* stdout.fresh, yield* stderr.fresh)
    if (before !== undefined)
      return Exit.isSuccess(before)
        ? yield* finished(job.command, before.value, `${text}\n[${id} has ended]`, yield* stderr.captured, "")
        : yield* Effect.failCause(before.cause)
    if (kill) return ToolResult.ok(`${text}\n[${id} was stopped]`)
    return ToolResult.ok(`${text}\n[${id} is still running]`)
  })

  const running = (session: string) =>
    Effect.map(jobs.list(session), (all) =>
      all
        .filter(({ exit }) => exit() === undefined)
        .map(({ command, id }) => `${id} (${BashResult.shortened(command)})`)
    )

  return BuiltinTool.make({
    name: "bash",
    description:
      "Runs a command with bash in the workspace. Nothing carries over to the next call but files. It has no input. What it leaves running is stopped with it unless run_in_background is set.",
    input: Input,
    spec: { mutates_data: true, requires_confirmation: true },
    background: running,
    mildest: BuiltinTool.reads,
    judge: ({ command, bash_id }, workspace) =>
      bash_id !== undefined || command === undefined
        ? Effect.succeed(BuiltinTool.reads)
        : permission(command, workspace),
    run: Effect.fn("BashTool.run")(function* (input, call) {
      const { command, timeout = defaultTimeoutSeconds, bash_id, kill = false } = input
      if (bash_id !== undefined) return yield* background(bash_id, kill, call)
      if (command === undefined || command.trim() === "") return yield* failed('bash: "command" is required')
      if (!(timeout > 0)) return yield* failed(`bash: timeout ${timeout} is not a number of seconds above 0`)
      if (input.run_in_background === true) {
        const job = yield* jobs.start(call.sessionId, command, start(command, call))
        return ToolResult.ok(`Started as ${job.id} (process ${job.process.pid}). ${manual(job)}`, {
          structured: { bash_id: job.id }
        })
      }
      if (timeout > maxTimeoutSeconds)
        return yield* failed(
          `bash: timeout ${timeout} is over ${maxTimeoutSeconds} s; use run_in_background for what takes longer`
        )
      return yield* foreground(command, timeout, call)
    })
  })
})
