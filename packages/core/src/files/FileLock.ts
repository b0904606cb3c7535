/**
 * A lock beside a file, which every Cow that changes the file takes: `NAME.lock`, made by whoever comes first and
 * removed at the end. One that a killed process left is taken over.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Schedule from "effect/Schedule"

/** Nobody holds it for more than some milliseconds. */
const staleMillis = 10_000
const tryEvery = "15 millis"
const tries = 1000

/** Runs alone among all processes. Fails when the lock cannot be made, or is never free within 15 seconds. */
export const withLock =
  (fs: FileSystem.FileSystem, file: string) =>
  <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E | PlatformError, R> => {
    const lock = `${file}.lock`
    const removeStale = Effect.gen(function* () {
      const info = yield* Effect.option(fs.stat(lock))
      const since = Option.flatMap(info, ({ mtime }) => mtime)
      const now = yield* Clock.currentTimeMillis
      if (Option.isSome(since) && now - since.value.getTime() > staleMillis)
        yield* fs.remove(lock, { force: true })
    })
    const isTaken = ({ reason }: PlatformError) => reason._tag === "AlreadyExists"
    const acquire = fs.writeFileString(lock, "", { flag: "wx", mode: 0o600 }).pipe(
      Effect.tapError((error) => (isTaken(error) ? removeStale : Effect.void)),
      Effect.retry({ schedule: Schedule.spaced(tryEvery), times: tries, while: isTaken })
    )
    const release = fs
      .remove(lock, { force: true })
      .pipe(Effect.catch((error) => Effect.logWarning(`${lock} cannot be removed`, error)))
    return Effect.acquireUseRelease(
      acquire,
      () => use,
      () => release
    )
  }
