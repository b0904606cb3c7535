/** What stands on standard input: the whole of it, or line by line. Nothing is read before it is asked for. */
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { ExitCode, failed } from "./ExitCode.ts"

const text = Effect.map(Stdio.Stdio, ({ stdin }) =>
  Stream.decodeText(stdin).pipe(
    Stream.mapError((error) =>
      failed(`standard input cannot be read: ${error.reason.message}`, ExitCode.badInput)
    )
  )
)

/** All of it, without a byte order mark. */
export const whole = Effect.flatMap(text, Stream.mkString).pipe(
  Effect.map((all) => all.replace(/^\uFEFF/, ""))
)

/** Without their line ends. A last line without one counts. */
export const lines = Stream.unwrap(text).pipe(Stream.splitLines)
