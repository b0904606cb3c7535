/**
 * The file `skills_config.json`: read, changed under a lock that other processes respect, and written whole or not at
 * all, only when its content changes. What is in it is `SwitchTable`.
 */
import { Diagnostic } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { decode, encode, type SwitchTable } from "./SwitchTable.ts"

export class SwitchesUnwritable extends Schema.TaggedError<SwitchesUnwritable>()("SwitchesUnwritable", {
  path: Schema.String,
  /** One line for people. */
  message: Schema.String
}) {}

export interface ReadSwitches {
  readonly table: SwitchTable
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/** A lock older than this was left by a process that died. Nobody holds one for more than some milliseconds. */
const staleMillis = 10_000
const patience = { schedule: Schedule.spaced("15 millis"), times: 200 }

/** Another process is writing now. */
const busy = "busy" as const

/** @param file absolute path of `skills_config.json` */
export const make = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = (yield* Path.Path).dirname(file)
  const lock = `${file}.lock`
  const one = yield* Semaphore.make(1)

  const parsed = (text: string): ReadSwitches & { readonly broken: boolean } =>
    Result.match(decode(text), {
      onFailure: ({ message }) => ({
        table: new Map(),
        broken: true,
        diagnostics: [
          Diagnostic.warning(file, `${message}; it is kept as ${file}.bak and every switch is at its default`)
        ]
      }),
      onSuccess: ({ table, refused }) => ({
        table,
        broken: false,
        diagnostics: refused.map((key) =>
          Diagnostic.warning(file, `the entry ${JSON.stringify(key)} is no switch and counts as absent`)
        )
      })
    })

  /** `""` counts as an empty object: a file just made. */
  const load = fs.readFileString(file).pipe(
    Effect.map((text) => (text.trim() === "" ? parsed("{}") : parsed(text))),
    Effect.catch((error) =>
      error.reason._tag === "NotFound" ? Effect.succeed(parsed("{}")) : Effect.fail(unwritable(error))
    )
  )
  const unwritable = (error: PlatformError.PlatformError) =>
    new SwitchesUnwritable({
      path: file,
      message: `the switches cannot be read or written (${error.reason._tag})`
    })

  const tryLock: Effect.Effect<void, typeof busy | SwitchesUnwritable> = fs
    .writeFileString(lock, "", { flag: "wx" })
    .pipe(
      Effect.catch(
        (error): Effect.Effect<never, typeof busy | SwitchesUnwritable> =>
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
        ? new SwitchesUnwritable({ path: file, message: `another process holds ${lock}` })
        : error
    )
  )
  const locked = <A, E>(use: Effect.Effect<A, E>) =>
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
    )

  const write = (text: string) => {
    const temporary = `${file}.${crypto.randomUUID()}.tmp`
    return fs.writeFileString(temporary, text).pipe(
      Effect.andThen(fs.rename(temporary, file)),
      Effect.onError(() => Effect.ignore(fs.remove(temporary, { force: true }))),
      Effect.mapError(unwritable)
    )
  }

  /**
   * Reads, lets `change` make the next table, and writes it when it differs. `change` may run twice: on what is read
   * first, and again under the lock when there is something to write.
   */
  const update = Effect.fn("SkillSwitches.update")(function* (change: (table: SwitchTable) => SwitchTable) {
    const first = yield* load
    const same = (table: SwitchTable, next: SwitchTable) => encode(table) === encode(next)
    if (!first.broken && same(first.table, change(first.table)))
      return { table: first.table, diagnostics: first.diagnostics } satisfies ReadSwitches
    return yield* locked(
      Effect.gen(function* () {
        const { table, diagnostics, broken } = yield* load
        if (broken) yield* fs.rename(file, `${file}.bak`).pipe(Effect.mapError(unwritable))
        const next = change(table)
        if (!same(table, next)) yield* write(encode(next))
        return { table: next, diagnostics } satisfies ReadSwitches
      })
    )
  })

  return {
    /** As it is on disk; nothing is written. */
    read: Effect.map(load, ({ table, diagnostics }): ReadSwitches => ({ table, diagnostics })),
    update
  }
})
