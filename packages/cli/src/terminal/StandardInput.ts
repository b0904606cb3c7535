/** What stands on standard input: the whole of it, or line by line. Nothing is read before it is asked for. */
import { PlatformFault } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { ExitCode, failed } from "../command/ExitCode.ts"

const text = Effect.map(Stdio.Stdio, ({ stdin }) =>
  Stream.decodeText(stdin).pipe(
    Stream.mapError((error) =>
      failed(`standard input cannot be read: ${PlatformFault.describe(error)}`, ExitCode.badInput)
    )
  )
)

/** More than any model reads; input without an end must not fill the memory. */
const maxWholeChars = 10 * 1024 * 1024

/** All of it, without a byte order mark. Fails with exit 42 when it is longer than 10 MiB. */
export const whole = Effect.flatMap(text, (parts) => {
  let chars = 0
  const bounded = Stream.tap(parts, (part) => {
    chars += part.length
    return chars <= maxWholeChars
      ? Effect.void
      : Effect.fail(failed("standard input is longer than 10 MiB", ExitCode.badInput))
  })
  return Effect.map(Stream.mkString(bounded), (all) => all.replace(/^\uFEFF/, ""))
})

/** Without their line ends. A last line without one counts. */
export const lines = Stream.unwrap(text).pipe(Stream.splitLines)
