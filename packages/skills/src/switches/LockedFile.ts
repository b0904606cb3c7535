/**
 * A small file of the user's that several processes change: one writer at a time, under a lock that others respect, and
 * written whole or not at all. What is in it is `SkillSwitches` and `SkillLockFile`.
 */
import { AtomicFile, FileLock } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"

export class SkillFileUnwritable extends Schema.TaggedError<SkillFileUnwritable>()("SkillFileUnwritable", {
  path: Schema.String,
  /** One line for people. */
  message: Schema.String
}) {}

/**
 * @param file absolute path
 * @param what names the content for people, as "the switches"
 */
export const make = Effect.fnUntraced(function* (file: string, what: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(file)
  const one = yield* Semaphore.make(1)

  const unwritable = ({ reason }: PlatformError.PlatformError) =>
    new SkillFileUnwritable({
      path: file,
      message:
        reason._tag === "AlreadyExists"
          ? `another process holds ${file}.lock`
          : `${what} in ${file} cannot be read or written (${reason._tag})`
    })

  return {
    /** None where there is no such file. */
    read: fs.readFileString(file).pipe(
      Effect.map(Option.some),
      Effect.catch((error) =>
        error.reason._tag === "NotFound"
          ? Effect.succeed(Option.none<string>())
          : Effect.fail(unwritable(error))
      )
    ),
    /** Runs `use` while nobody else, in this process or another, is inside. Makes the folder if needed. */
    locked: <A, E>(use: Effect.Effect<A, E>): Effect.Effect<A, E | SkillFileUnwritable> =>
      fs.makeDirectory(folder, { recursive: true }).pipe(
        // What `use` fails with is its own, whatever it is.
        Effect.andThen(FileLock.withLock(fs, file)(Effect.result(use))),
        Effect.mapError(unwritable),
        Effect.flatMap(Effect.fromResult),
        Semaphore.withPermit(one)
      ),
    /** Only inside `locked`. */
    write: (text: string) =>
      AtomicFile.write(file, text).pipe(
        Effect.provideService(FileSystem.FileSystem, fs),
        Effect.provideService(Path.Path, path),
        Effect.mapError(unwritable)
      ),
    /** Moves what is there to `NAME.bak`. Only inside `locked`. */
    setAside: fs.rename(file, `${file}.bak`).pipe(Effect.mapError(unwritable))
  }
})
