/**
 * What a command says: its result on stdout, messages for people on stderr. Every write is waited for until the
 * system has taken it, so a slow reader gets all of it and nothing is left when the process ends. A reader that
 * went away is no failure.
 *
 * Text is made fit for terminals by `Printable`; events of a run are printed by `EventPrinter`.
 */
import { VisibleJson } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Environment } from "./Environment.ts"
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
    /** Whether stdout may carry colours: a terminal, and `NO_COLOR` is not set. */
    readonly colours: boolean
  }
>()("@cow/cli/Output") {
  static readonly layer = Layer.effect(
    Output,
    Effect.gen(function* () {
      const { terminal, variables } = yield* Environment
      const stdout = writer(process.stdout)
      const stderr = writer(process.stderr)
      return Output.of({
        json: (value) => stdout(`${VisibleJson.escape(JSON.stringify(value, null, 2))}\n`),
        jsonLines: (values) =>
          stdout(values.map((value) => `${VisibleJson.escape(JSON.stringify(value))}\n`).join("")),
        text: (text) => stdout(withLineEnd(visible(text))),
        raw: stdout,
        note: (text) => stderr(`${oneLine(text)}\n`),
        rawNote: stderr,
        colours: terminal.stdout && !variables.NO_COLOR
      })
    })
  )
}

const withLineEnd = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`)

const writer = (stream: NodeJS.WriteStream) => {
  let gone = false
  // Without a listener an error of the stream would end the process.
  stream.on("error", () => {
    gone = true
  })
  return (text: string): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      if (gone || text === "") return resume(Effect.void)
      stream.write(text, (error) => {
        if (error) gone = true
        resume(Effect.void)
      })
    })
}
