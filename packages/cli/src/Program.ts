/**
 * The life of the process: reads the command line, runs the command, turns its end into one line on stderr and an
 * exit code. Signals interrupt the command and its cleanup is waited for.
 *
 * Which commands there are is `CommandTree`.
 */
import { PlatformFault } from "@cow/core"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { isPlatformError, type PlatformError } from "effect/PlatformError"
import * as References from "effect/References"
import * as CommandLine from "./command/CommandLine.ts"
import { cow } from "./command/CommandTree.ts"
import { badUsage, CommandFailed, ExitCode } from "./command/ExitCode.ts"
import * as UsageError from "./command/UsageError.ts"
import * as Platform from "./Platform.ts"
import { Environment } from "./settings/Environment.ts"
import { Interrupts } from "./terminal/Interrupts.ts"
import * as LogLines from "./terminal/LogLines.ts"
import { Output } from "./terminal/Output.ts"
import { oneLine } from "./terminal/Printable.ts"
import { version } from "./Version.ts"

/** A repeated signal this long after the first one ends the process at once. */
const patienceMillis = 2_000

const presenter = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const output = yield* Output
  const formatter = CliOutput.defaultFormatter({ colors: output.colours })
  const present: CliOutput.Presenter["present"] = (event) => {
    switch (event._tag) {
      case "Help":
        return output.raw(`${formatter.formatHelpDoc(event.helpDoc)}\n`)
      case "InvalidInvocation":
        return output.note(UsageError.render(event.commandPath, event.errors, args))
      case "Version":
        return output.raw(`${event.name} v${event.version}\n`)
    }
  }
  return CliOutput.layerPresenter({ present })
})

const base = (args: ReadonlyArray<string>, interrupts: Interrupts["Service"]) =>
  Layer.mergeAll(
    Layer.unwrap(presenter(args)),
    LogLines.layer,
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })
  ).pipe(
    Layer.provideMerge(Output.layer),
    Layer.provideMerge(Layer.succeed(Interrupts, interrupts)),
    Layer.provideMerge(Environment.layer),
    Layer.provideMerge(Platform.layer)
  )

const codeOf = (error: unknown): ExitCode => {
  if (error instanceof CommandFailed) return error.code
  if (CliError.isCliError(error))
    return error._tag === "ShowHelp" && error.errors.length === 0 ? ExitCode.ok : ExitCode.usage
  return ExitCode.failure
}

const ofPlatform = (error: PlatformError): string => {
  const place = "pathOrDescriptor" in error.reason ? error.reason.pathOrDescriptor : undefined
  return `${place === undefined ? "" : `${place}: `}${PlatformFault.describe(error)}`
}

/** One line about any failure; `""` when it has been told already. */
export const lineOf = (error: unknown): string => {
  if (CliError.isCliError(error)) return ""
  if (typeof error !== "object" || error === null) return String(error)
  const { message, _tag } = error as { readonly message?: unknown; readonly _tag?: unknown }
  if (error instanceof CommandFailed) return error.message
  if (isPlatformError(error)) return ofPlatform(error)
  if (typeof message === "string" && message !== "") return oneLine(message)
  const facts = Object.entries(error).flatMap(([key, value]) =>
    key !== "_tag" && ["string", "number"].includes(typeof value) ? [`${key} ${JSON.stringify(value)}`] : []
  )
  return [String(_tag ?? "failure"), ...facts].join(" ")
}

const report = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, verbose: boolean) {
  const output = yield* Output
  const error = Cause.squash(cause)
  const line = lineOf(error)
  if (line !== "") yield* output.note(/^cow[ :]/.test(line) ? line : `cow: ${line}`)
  // What ended a command on purpose has said why.
  if (verbose && !CliError.isCliError(error) && !(error instanceof CommandFailed))
    yield* output.rawNote(`${Cause.pretty(cause)}\n`)
  return codeOf(error)
})

/** A result that could not be written is none. */
const delivered = Effect.fnUntraced(function* (code: ExitCode) {
  const output = yield* Output
  const fault = yield* output.fault
  if (fault === undefined) return code
  yield* output.note(`cow: standard output cannot be written: ${PlatformFault.describeCode(fault)}`)
  return code === ExitCode.ok ? ExitCode.failure : code
})

const program = (
  { args, fault, quiet, verbose }: CommandLine.CommandLine,
  interrupts: Interrupts["Service"]
) => {
  const command = fault === undefined ? Command.runWith(cow, { version })(args) : Effect.fail(badUsage(fault))
  return command.pipe(
    Effect.as<ExitCode>(ExitCode.ok),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : report(cause, verbose)
    ),
    Effect.flatMap(delivered),
    Effect.provideService(References.MinimumLogLevel, verbose ? "Debug" : quiet ? "Error" : "Warn"),
    Effect.provide(base(args, interrupts)),
    Effect.scoped
  )
}

const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write("", () => resolve()))

/** Ends the process once both streams are taken; after a signal a reader that does not read is not waited for. */
const end = async (code: ExitCode): Promise<never> => {
  const written = Promise.all([flushed(process.stdout), flushed(process.stderr)])
  await (code === ExitCode.cancelled ? Promise.race([written, Bun.sleep(1_000)]) : written)
  process.exit(code)
}

/** Runs the command and ends the process. */
export const run = (typed: ReadonlyArray<string>): void => {
  const line = CommandLine.read(typed)
  let left = false
  const interrupts = Interrupts.make(() => {
    left = true
    fiber.interruptUnsafe()
  })
  const fiber: Fiber.Fiber<ExitCode, unknown> = Effect.runFork(program(line, interrupts))
  let signalledAt: number | undefined
  const stop = (): void => {
    const now = Date.now()
    // `timeout` and a terminal may send one signal twice.
    if (signalledAt !== undefined && now - signalledAt > patienceMillis) process.exit(ExitCode.cancelled)
    signalledAt ??= now
    fiber.interruptUnsafe()
  }
  process.on("SIGINT", () => {
    if (!interrupts.offer()) stop()
  })
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, stop)
  let broken = false
  const crash = (error: unknown): void => {
    broken = true
    process.stderr.write(`cow: ${oneLine(lineOf(error))}\n`)
    if (line.verbose && error instanceof Error) process.stderr.write(`${error.stack}\n`)
    fiber.interruptUnsafe()
  }
  process.on("uncaughtException", crash)
  process.on("unhandledRejection", crash)
  fiber.addObserver((exit) => {
    if (broken) return end(ExitCode.failure)
    if (signalledAt !== undefined) return end(ExitCode.cancelled)
    if (left) return end(ExitCode.readerGone)
    if (Exit.isSuccess(exit)) return end(exit.value)
    if (Cause.hasInterruptsOnly(exit.cause)) return end(ExitCode.cancelled)
    process.stderr.write(`cow: ${lineOf(Cause.squash(exit.cause))}\n`)
    return end(ExitCode.failure)
  })
}
