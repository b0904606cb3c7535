/**
 * One `config.json` on disk: read, checked, and changed key by key. What the keys mean is `Settings`; the text form
 * is core's `Jsonc`.
 */
import { AtomicFile, FileLock, Jsonc, JsoncEdit, PlatformFault } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { ExitCode, failed } from "../command/ExitCode.ts"
import * as Settings from "./Settings.ts"

export interface ConfigFile {
  readonly path: string
  readonly exists: boolean
  readonly given: Settings.GivenSettings
  /** One line each, with file and line. */
  readonly warnings: ReadonlyArray<string>
  /** The same, for `cow doctor` alone. */
  readonly asides: ReadonlyArray<string>
}

const broken = (message: string) => failed(message, ExitCode.brokenConfig)

const readText = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* fs
    .readFileString(path)
    .pipe(
      Effect.catch((error) =>
        error.reason._tag === "NotFound"
          ? Effect.succeed(undefined)
          : Effect.fail(broken(`${path}: cannot be read: ${PlatformFault.describe(error)}`))
      )
    )
})

const fileFault = (path: string, fault: Jsonc.JsoncError) =>
  broken(
    `${path}:${fault.line}:${fault.column}: ${fault.message}${fault.path.length === 0 ? "" : ` (at key "${fault.path.join(".")}")`}`
  )

const named = ({ message, path }: Settings.SettingFault): string =>
  path.length === 0 ? message : `key "${path.join(".")}": ${message}`

const keyFault = (path: string, document: Jsonc.JsoncDocument, fault: Settings.SettingFault): string => {
  let keys: Jsonc.KeyPath = fault.path
  while (keys.length > 0 && document.placeOf(keys) === undefined) keys = keys.slice(0, -1)
  const place = document.placeOf(keys)
  return `${path}:${place?.line ?? 1}: ${fault.message}`
}

/** What a file sets that is not there, or does not count. */
export const absent = (path: string): ConfigFile => ({
  path,
  exists: false,
  given: {},
  warnings: [],
  asides: []
})

/** A file that is not there sets nothing. Fails with exit 52, naming file, line and key, when it is broken. */
export const read = Effect.fnUntraced(function* (path: string) {
  const text = yield* readText(path)
  if (text === undefined) return absent(path)
  const document = yield* Effect.fromResult(Jsonc.parse(text)).pipe(
    Effect.mapError((fault) => fileFault(path, fault))
  )
  const decoded = yield* Effect.fromResult(Settings.decode(document)).pipe(
    Effect.mapError((fault) => broken(keyFault(path, document, { ...fault, message: named(fault) })))
  )
  const lines = (faults: ReadonlyArray<Settings.SettingFault>) =>
    faults.map((fault) => keyFault(path, document, fault))
  const { asides, given, warnings } = decoded
  const file: ConfigFile = {
    path,
    exists: true,
    given,
    warnings: lines(warnings),
    asides: lines(asides)
  }
  return file
})

/** Sets one key in the file; its comments stay, and what others set meanwhile. Gives whether the file changed. */
export const set = Effect.fnUntraced(function* (path: string, key: Settings.SettingKey, value: Schema.Json) {
  const decoded = Settings.decodeKey(key, value)
  if (Result.isFailure(decoded)) return yield* failed(named(decoded.failure), ExitCode.badInput)
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory((yield* Path.Path).dirname(path), { recursive: true })
  const change = Effect.gen(function* () {
    const text = (yield* readText(path)) ?? ""
    const next = yield* Effect.fromResult(JsoncEdit.set(text, key, value)).pipe(
      Effect.mapError((fault) => fileFault(path, fault))
    )
    if (next === text) return false
    yield* AtomicFile.write(path, next)
    return true
  })
  return yield* FileLock.withLock(fs, path)(change)
})
