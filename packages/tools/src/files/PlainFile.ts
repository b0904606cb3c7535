/**
 * Looks at what a path leads to before anything is opened: only a plain file goes on, everything else is an error
 * that says what it is and what to use instead.
 */
import { NearNames } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import { because, CallFailed, failed } from "../tool/CallFailure.ts"
import * as FileName from "./FileName.ts"
import * as FolderEntries from "./FolderEntries.ts"

const kinds: Readonly<Record<string, string>> = {
  FIFO: "a pipe (FIFO)",
  Socket: "a socket",
  CharacterDevice: "a device",
  BlockDevice: "a block device"
}

/** `no such file: /a/b` with names that are near, if any. */
const missing = Effect.fnUntraced(function* (file: string) {
  const path = yield* Path.Path
  const entries = yield* Effect.orElseSucceed(FolderEntries.list(path.dirname(file)), () => [])
  const near = NearNames.near(
    path.basename(file),
    entries.map(({ name }) => FileName.shown(name))
  )
  const hint = near.length === 0 ? "" : ` Near names in its folder: ${near.join(", ")}.`
  return new CallFailed({ message: `no such file: ${file}.${hint} Use search_files to find it.` })
})

const isMissing = (error: PlatformError): boolean => error.reason._tag === "NotFound"

/** The facts of a plain file. Fails for what is missing, a folder, a pipe, a device or a socket. */
export const stat = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.catch(fs.stat(file), (error) =>
    isMissing(error)
      ? Effect.flatMap(missing(file), (failure) => Effect.fail(failure))
      : Effect.fail(because(`cannot open ${file}`)(error))
  )
  if (info.type === "File") return info
  if (info.type === "Directory") return yield* failed(`${file} is a folder; use ls to see what is in it`)
  return yield* failed(`${file} is ${kinds[info.type] ?? "not a plain file"} and is not opened`)
})

/** As `stat`, `undefined` where nothing is. */
export const statIfAny = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const exists = yield* Effect.catch(Effect.as(fs.stat(file), true), (error) =>
    isMissing(error) ? Effect.succeed(false) : Effect.fail(because(`cannot open ${file}`)(error))
  )
  return exists ? yield* stat(file) : undefined
})
