/** What is worth saying, and not with every command: said once a day, on stderr, remembered in the user's home. */
import { AtomicFile, PlatformFault } from "@cow/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { QuietFlag } from "../command/GlobalFlags.ts"
import { UserHome } from "../settings/UserHome.ts"
import { Output } from "../terminal/Output.ts"

/** By notice, the day it was last said: `2026-12-07`. */
const Said = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
const decode = Schema.decodeUnknownOption(Said)
const encode = Schema.encodeSync(Said)

/** Nothing with `--quiet`, which does not count as said. */
export const onceADay = Effect.fnUntraced(function* (notice: string, text: string) {
  if (yield* QuietFlag) return
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { paths } = yield* UserHome
  const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
  // No file, or one that is broken: nothing was said yet.
  const read = Effect.map(Effect.option(fs.readFileString(paths.notices)), Option.flatMap(decode))
  const said = Option.getOrElse(yield* read, (): Record<string, string> => ({}))
  if (said[notice] === today) return
  yield* Effect.flatMap(Output, (output) => output.note(text))
  yield* fs.makeDirectory(path.dirname(paths.notices), { recursive: true }).pipe(
    Effect.andThen(AtomicFile.write(paths.notices, encode({ ...said, [notice]: today }))),
    Effect.catchTag("PlatformError", (error) =>
      Effect.logDebug(`${paths.notices} cannot be written: ${PlatformFault.describe(error)}`)
    )
  )
})
