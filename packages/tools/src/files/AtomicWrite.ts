/**
 * Core's `AtomicFile` for a built-in call: only a plain file, or none, is replaced, and a failure says which file and
 * why.
 */
import { AtomicFile } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { because, failed } from "../tool/CallFailure.ts"
import * as PlainFile from "./PlainFile.ts"

/** `target` is a real path. Fails with the reason; the old file is whole then. */
export const write = Effect.fn("AtomicWrite.write")(function* (target: string, bytes: Uint8Array) {
  const path = yield* Path.Path
  yield* PlainFile.statIfAny(target)
  if (path.basename(target) === "") return yield* failed(`cannot write ${target}: it is a folder`)
  yield* Effect.mapError(AtomicFile.write(target, bytes), because(`cannot write ${target}`))
})
