/**
 * What a command says: its result on stdout, messages for people on stderr. Every write is waited for until the
 * system has taken it, so a slow reader gets all of it and nothing is left when the process ends. A reader that
 * went away is no failure: the command ends, and says nothing more.
 *
 * Text is made fit for terminals by `Printable`; events of a run are printed by `EventPrinter`.
 */
import { PlatformFault, VisibleJson } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Environment } from "../settings/Environment.ts"
import { Interrupts } from "./Interrupts.ts"
import { oneLine, visible } from "./Printable.ts"

export class Output extends Context.Service<
  Output,
  {
    /** One JSON document and a line end. */
    readonly json: (value: unknown) => Effect.Effect<void>
    /** Each value as one line of JSON. */
    readonly jsonLines: (values: ReadonlyArray<unknown>) => Effect.Effect<void>
    /** Text for people on stdout; a line end is added where it is missing. */
    readonly text: (text: string) => Effect.Effect<void>
    /** Exactly this on stdout. */
    readonly raw: (text: string) => Effect.Effect<void>
    /** One line for people on stderr. */
    readonly note: (text: string) => Effect.Effect<void>
    /** Exactly this on stderr. */
    readonly rawNote: (text: string) => Effect.Effect<void>
    /** The system's code of what kept stdout from being written, a reader that went away aside. */
    readonly fault: Effect.Effect<string | undefined>
    /** Whether stdout may carry colours: a terminal, and `NO_COLOR` is not set. */
    readonly colours: boolean
  }
>()("@cow/cli/Output") {
  static readonly layer = Layer.effect(
    Output,
    Effect.gen(function* () {
      const { terminal, variables } = yield* Environment
      const { leave } = yield* Interrupts
      const { fault, write: stdout } = writer(process.stdout, leave)
      const { write: stderr } = writer(process.stderr, () => {})
      return Output.of({
        json: (value) => stdout(`${VisibleJson.escape(JSON.stringify(value, null, 2))}\n`),
        jsonLines: (values) =>
          stdout(values.map((value) => `${VisibleJson.escape(JSON.stringify(value))}\n`).join("")),
        text: (text) => stdout(withLineEnd(visible(text))),
        raw: stdout,
        note: (text) => stderr(`${oneLine(text)}\n`),
        rawNote: stderr,
        fault,
        colours: terminal.stdout && !variables.NO_COLOR
      })
    })
  )
}

const withLineEnd = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`)

/** What a reader leaves behind that went away. */
const readerGone = new Set(["EPIPE", "ECONNRESET", "EBADF"])

const writer = (stream: NodeJS.WriteStream, left: () => void) => {
  let gone = false
  let fault: string | undefined
  const failed = (error: unknown): void => {
    const code = PlatformFault.codeOf(error)
    if (!gone && code !== undefined && readerGone.has(code)) left()
    gone = true
    if (code !== undefined && !code.startsWith("ERR_") && !readerGone.has(code)) fault ??= code
  }
  // Without a listener an error of the stream would end the process.
  stream.on("error", failed)
  const write = (text: string): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      if (gone || text === "") return resume(Effect.void)
      stream.write(text, (error) => {
        if (error) failed(error)
        resume(Effect.void)
      })
    })
  return { write, fault: Effect.sync(() => fault) }
}
