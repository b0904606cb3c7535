/**
 * Stored logins in `credentials.json`: mode 0600, written whole or not at all, other keys left as they are. A file
 * that more people may read is narrowed with a warning. One Cow at a time changes it.
 */
import { AtomicFile, FileLock } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isObject } from "../config/ServerEntry.ts"
import * as TokenStore from "./TokenStore.ts"

const key = "mcp_logins"
const fromJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))
const decode = Schema.decodeUnknownOption(TokenStore.Login)

interface Read {
  readonly document: Record<string, unknown>
  readonly logins: ReadonlyArray<TokenStore.Login>
  /** Entries that this Cow cannot read: they stay. */
  readonly others: ReadonlyArray<unknown>
  /** What to keep as `.bak` before it is overwritten. */
  readonly broken: string | undefined
}

export const make = (
  fs: FileSystem.FileSystem,
  path: Path.Path,
  file: string
): TokenStore.TokenStoreShape => {
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
        return { document: {}, logins: [], others: [], broken: text.trim() === "" ? undefined : text }
      const list: unknown = parsed.success[key]
      const entries: ReadonlyArray<unknown> = Array.isArray(list) ? list : []
      const logins = entries.flatMap((one) => Option.toArray(decode(one)))
      const others = entries.filter((one) => Option.isNone(decode(one)))
      return { document: parsed.success, logins, others, broken: undefined }
    }),
    Effect.catch((error) =>
      error.reason._tag === "NotFound"
        ? Effect.succeed({ document: {}, logins: [], others: [], broken: undefined })
        : Effect.fail(failed(error))
    )
  )
  const write = (before: Read, logins: ReadonlyArray<TokenStore.Login>) =>
    Effect.gen(function* () {
      if (before.broken !== undefined) yield* AtomicFile.write(`${file}.bak`, before.broken, 0o600)
      yield* AtomicFile.write(
        file,
        `${JSON.stringify({ ...before.document, [key]: [...logins, ...before.others] }, null, 2)}\n`,
        0o600
      )
    }).pipe(
      Effect.provideService(FileSystem.FileSystem, fs),
      Effect.provideService(Path.Path, path),
      Effect.mapError(failed)
    )
  const inTurn = FileLock.withLock(fs, file)
  const change = <A>(
    edit: (logins: ReadonlyArray<TokenStore.Login>) => readonly [A, ReadonlyArray<TokenStore.Login>]
  ) =>
    Effect.gen(function* () {
      yield* Effect.mapError(fs.makeDirectory(path.dirname(file), { recursive: true }), failed)
      const edited = Effect.gen(function* () {
        const before = yield* read
        const [result, logins] = edit(before.logins)
        if (JSON.stringify(logins) !== JSON.stringify(before.logins)) yield* write(before, logins)
        return result
      })
      return yield* Effect.catchTag(inTurn(edited), "PlatformError", (error) => Effect.fail(failed(error)))
    })
  return {
    list: (of) => Effect.map(read, ({ logins }) => logins.filter(TokenStore.isOf(of))),
    update: (of, edit) => change((logins) => [undefined, TokenStore.updated(logins, of, edit)] as const),
    remove: (server) =>
      change((logins) => {
        const left = logins.filter((login) => login.server !== server)
        return [logins.length - left.length, left] as const
      })
  }
}

/** Where logins are kept: a `TokenStore` that somebody has provided, or `credentials.json` of COW_HOME. */
export const ofHome = (cowHome: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const given = yield* Effect.serviceOption(TokenStore.TokenStore)
    return Option.getOrElse(given, () => make(fs, path, path.join(cowHome, "credentials.json")))
  })
