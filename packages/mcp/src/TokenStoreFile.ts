/**
 * Stored logins in `credentials.json`: mode 0600, written whole or not at all, other keys left as they are. A file
 * that more people may read is narrowed with a warning. One Cow at a time changes it.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { isObject } from "./ServerEntry.ts"
import * as TokenStore from "./TokenStore.ts"

const key = "mcp_logins"
const fromJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))
const decode = Schema.decodeUnknownOption(TokenStore.Login)
/** A lock older than this belongs to a Cow that was killed. */
const staleLockMillis = 10_000

interface Read {
  readonly document: Record<string, unknown>
  readonly logins: ReadonlyArray<TokenStore.Login>
  /** What to keep as `.bak` before it is overwritten. */
  readonly broken: string | undefined
}

export const make = (
  fs: FileSystem.FileSystem,
  path: Path.Path,
  file: string
): Effect.Effect<TokenStore.TokenStoreShape> =>
  Effect.gen(function* () {
    const oneAtATime = yield* Semaphore.make(1)
    const lock = `${file}.lock`
    const failed = (error: { readonly message: string }) =>
      new TokenStore.TokenStoreFailed({ message: `${file}: ${error.message}` })

    const narrow = Effect.gen(function* () {
      const { mode } = yield* fs.stat(file)
      if ((mode & 0o077) === 0) return
      yield* fs.chmod(file, 0o600)
      const was = (mode & 0o777).toString(8).padStart(4, "0")
      yield* Effect.logWarning(`${file} could be read by others (mode ${was}): it is 0600 now`)
    })
    const read: Effect.Effect<Read, TokenStore.TokenStoreFailed> = narrow.pipe(
      Effect.andThen(fs.readFileString(file)),
      Effect.map((text): Read => {
        const parsed = fromJson(text)
        if (Result.isFailure(parsed) || !isObject(parsed.success))
          return { document: {}, logins: [], broken: text.trim() === "" ? undefined : text }
        const list: unknown = parsed.success[key]
        const logins = (Array.isArray(list) ? list : []).flatMap((one) => Option.toArray(decode(one)))
        return { document: parsed.success, logins, broken: undefined }
      }),
      Effect.catch((error) =>
        error.reason._tag === "NotFound"
          ? Effect.succeed({ document: {}, logins: [], broken: undefined })
          : Effect.fail(failed(error))
      )
    )
    const write = (before: Read, logins: ReadonlyArray<TokenStore.Login>) =>
      Effect.gen(function* () {
        if (before.broken !== undefined)
          yield* fs.writeFileString(`${file}.bak`, before.broken, { mode: 0o600 })
        const temporary = `${file}.tmp`
        yield* fs.remove(temporary, { force: true })
        const text = `${JSON.stringify({ ...before.document, [key]: logins }, null, 2)}\n`
        yield* fs.writeFileString(temporary, text, { mode: 0o600, flag: "wx" })
        yield* fs.rename(temporary, file)
      }).pipe(Effect.mapError(failed))

    const dropStale = fs.stat(lock).pipe(
      Effect.flatMap(({ mtime }) =>
        Option.exists(mtime, (time) => Date.now() - time.getTime() > staleLockMillis)
          ? fs.remove(lock, { force: true })
          : Effect.void
      ),
      // Gone in between: just what was waited for.
      Effect.catch((error) => (error.reason._tag === "NotFound" ? Effect.void : Effect.fail(error)))
    )
    const locked = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.acquireUseRelease(
        fs.writeFileString(lock, "", { flag: "wx", mode: 0o600 }).pipe(
          Effect.tapError((error) => (error.reason._tag === "AlreadyExists" ? dropStale : Effect.void)),
          Effect.retry({
            while: (error) => error.reason._tag === "AlreadyExists",
            schedule: Schedule.spaced(Duration.millis(50)).pipe(Schedule.upTo({ times: 400 }))
          }),
          Effect.mapError(failed)
        ),
        () => effect,
        () => Effect.ignore(fs.remove(lock, { force: true }))
      )
    const change = <A>(
      edit: (logins: ReadonlyArray<TokenStore.Login>) => readonly [A, ReadonlyArray<TokenStore.Login>]
    ) =>
      oneAtATime.withPermits(1)(
        Effect.gen(function* () {
          yield* Effect.mapError(fs.makeDirectory(path.dirname(file), { recursive: true }), failed)
          return yield* locked(
            Effect.gen(function* () {
              const before = yield* read
              const [result, logins] = edit(before.logins)
              if (JSON.stringify(logins) !== JSON.stringify(before.logins)) yield* write(before, logins)
              return result
            })
          )
        })
      )
    return {
      list: (of) => Effect.map(read, ({ logins }) => logins.filter(TokenStore.isOf(of))),
      update: (of, edit) => change((logins) => [undefined, TokenStore.updated(logins, of, edit)] as const),
      remove: (server) =>
        change((logins) => {
          const left = logins.filter((login) => login.server !== server)
          return [logins.length - left.length, left] as const
        })
    }
  })
