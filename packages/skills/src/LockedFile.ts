/**
 * A small file of the user's that several processes change: one writer at a time, under a lock that others respect, and
 * written whole or not at all. What is in it is `SkillSwitches` and `SkillLockFile`.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"

export class SkillFileUnwritable extends Schema.TaggedError<SkillFileUnwritable>()("SkillFileUnwritable", {
  path: Schema.String,
  /** One line for people. */
  message: Schema.String
}) {}

/** A lock older than this was left by a process that died. Nobody holds one for more than some milliseconds. */
const staleMillis = 10_000
const patience = { schedule: Schedule.spaced("15 millis"), times: 200 }

/** Another process is writing now. */
const busy = "busy" as const

/**
 * @param file absolute path
 * @param what names the content for people, as "the switches"
 */
export const make = Effect.fnUntraced(function* (file: string, what: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = (yield* Path.Path).dirname(file)
  const lock = `${file}.lock`
  const one = yield* Semaphore.make(1)

  const unwritable = (error: PlatformError.PlatformError) =>
    new SkillFileUnwritable({
      path: file,
      message: `${what} cannot be read or written (${error.reason._tag})`
    })

  const tryLock: Effect.Effect<void, typeof busy | SkillFileUnwritable> = fs
    .writeFileString(lock, "", { flag: "wx" })
    .pipe(
      Effect.catch(
        (error): Effect.Effect<never, typeof busy | SkillFileUnwritable> =>
          error.reason._tag === "AlreadyExists"
            ? Effect.andThen(breakStale, Effect.fail(busy))
            : Effect.fail(unwritable(error))
      )
    )
  const breakStale = Effect.gen(function* () {
    const info = yield* Effect.option(fs.stat(lock))
    const now = yield* Clock.currentTimeMillis
    const since = Option.flatMap(info, ({ mtime }) => mtime)
    if (Option.isSome(since) && now - since.value.getTime() > staleMillis)
      yield* Effect.ignore(fs.remove(lock, { force: true }))
  })
  const acquire = tryLock.pipe(
    Effect.retry({ ...patience, while: (error) => error === busy }),
    Effect.mapError((error) =>
      error === busy
        ? new SkillFileUnwritable({ path: file, message: `another process holds ${lock}` })
        : error
    )
  )

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
      Semaphore.withPermit(
        one,
        Effect.andThen(
          fs.makeDirectory(folder, { recursive: true }).pipe(Effect.mapError(unwritable)),
          Effect.acquireUseRelease(
            acquire,
            () => use,
            () => Effect.ignore(fs.remove(lock, { force: true }))
          )
        )
      ),
    /** Temp file, then rename. Only inside `locked`. */
    write: (text: string) => {
      const temporary = `${file}.${crypto.randomUUID()}.tmp`
      return fs.writeFileString(temporary, text).pipe(
        Effect.andThen(fs.rename(temporary, file)),
        Effect.onError(() => Effect.ignore(fs.remove(temporary, { force: true }))),
        Effect.mapError(unwritable)
      )
    },
    /** Moves what is there to `NAME.bak`. Only inside `locked`. */
    setAside: fs.rename(file, `${file}.bak`).pipe(Effect.mapError(unwritable))
  }
})
