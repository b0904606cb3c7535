/**
 * `COW_HOME/mcp.json` as it is edited for a user: read, changed as a value, written as a whole (temp file, then
 * rename), by one process at a time, and only when it differs. A broken file is kept as `mcp.json.bak` before anything
 * is written.
 *
 * Running servers see the change by themselves (`ConfigSource`).
 */

import { AtomicFile, type Audience, FileLock, type Message, NearNames, PlatformFault } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as TokenStoreFile from "../auth/TokenStoreFile.ts"
import * as McpConfig from "./McpConfig.ts"
import * as McpDocument from "./McpDocument.ts"
import * as ServerEntry from "./ServerEntry.ts"
import * as ServerTraces from "./ServerTraces.ts"

export class McpEditRefused extends Schema.TaggedError<McpEditRefused>()("McpEditRefused", {
  /** `unwritable`: the file could not be read or written. */
  reason: Schema.Literals(["exists", "not_found", "invalid", "unwritable"]),
  message: Schema.String
}) {}

export interface McpConfigFileSettings {
  readonly cowHome: string
  /** The value of `mcp_servers` in `config.json`: copied into `mcp.json` when that is written for the first time. */
  readonly configServers?: Schema.Json | undefined
}

type Edit = (entry: Message.JsonObject) => Message.JsonObject

export class McpConfigFile extends Context.Service<
  McpConfigFile,
  {
    /** Absolute path of `mcp.json`. */
    readonly file: string
    /** The entry as it is written, of the file or of `mcp_servers`. Fails with `not_found`. */
    readonly get: (name: string) => Effect.Effect<Message.JsonObject, McpEditRefused>
    /** Fails with `exists`, or with `invalid` when the entry could not be started. Nothing of an earlier one is its. */
    readonly add: (
      name: string,
      entry: Message.JsonObject,
      audience: Audience.Audience
    ) => Effect.Effect<void, McpEditRefused>
    /** With its logins and its logs. */
    readonly remove: (name: string) => Effect.Effect<void, McpEditRefused>
    readonly setAudience: (name: string, audience: Audience.Audience) => Effect.Effect<void, McpEditRefused>
    readonly setEnabled: (name: string, enabled: boolean) => Effect.Effect<void, McpEditRefused>
    /** Any other change of one entry. Who may use it is written out as well. */
    readonly update: (name: string, edit: Edit) => Effect.Effect<void, McpEditRefused>
  }
>()("@cow/mcp/McpConfigFile") {
  static readonly layer = (
    settings: McpConfigFileSettings
  ): Layer.Layer<McpConfigFile, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(McpConfigFile, make(settings))
}

/** Entries may hold keys of their servers. */
const ownerOnly = 0o600

interface Read {
  readonly document: Schema.Json
  readonly text: string | undefined
  /** Kept as `.bak` before the next writing: broken, or holding comments that a writing loses. */
  readonly keep: boolean
}

const isPlainJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    // Comments, trailing commas or a byte-order mark: all of it goes when the document is written.
    return false
  }
}

const make = (settings: McpConfigFileSettings) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = path.join(settings.cowHome, "mcp.json")
    const oneAtATime = yield* Semaphore.make(1)
    const traces = ServerTraces.make(
      fs,
      path,
      settings.cowHome,
      yield* TokenStoreFile.ofHome(settings.cowHome)
    )
    const unwritable = (error: PlatformError) =>
      new McpEditRefused({ reason: "unwritable", message: `${file}: ${PlatformFault.describe(error)}` })

    const makeHome = Effect.mapError(fs.makeDirectory(settings.cowHome, { recursive: true }), unwritable)

    const fallback = settings.configServers === undefined ? {} : { mcpServers: settings.configServers }
    const read: Effect.Effect<Read, McpEditRefused> = fs.readFileString(file).pipe(
      Effect.map((text): Read => {
        const parsed = McpConfig.documentIn(text)
        if (Result.isFailure(parsed)) return { document: fallback, text, keep: text.trim() !== "" }
        return { document: parsed.success, text, keep: !isPlainJson(text) }
      }),
      Effect.catch((error) =>
        error.reason._tag === "NotFound"
          ? Effect.succeed({ document: fallback, text: undefined, keep: false })
          : Effect.fail(unwritable(error))
      )
    )

    const write = (before: Read, document: Schema.Json) =>
      Effect.gen(function* () {
        const text = `${JSON.stringify(document, null, 2)}\n`
        // Unchanged as a value: the file keeps its own layout.
        if (before.text !== undefined && JSON.stringify(before.document) === JSON.stringify(document)) return
        if (before.keep && before.text !== undefined)
          yield* fs.writeFileString(`${file}.bak`, before.text, { mode: ownerOnly })
        yield* AtomicFile.write(file, text, ownerOnly)
      }).pipe(
        Effect.mapError(unwritable),
        Effect.uninterruptible,
        Effect.provideService(FileSystem.FileSystem, fs),
        Effect.provideService(Path.Path, path)
      )

    const notFound = (document: Schema.Json, name: string) => {
      const names = McpConfig.ofDocument(document, "user", file).servers.map((one) => one.name)
      const message = `there is no MCP server "${name}" in ${file}${NearNames.hint(name, names)}`
      return new McpEditRefused({ reason: "not_found", message })
    }
    const entryOf = (document: Schema.Json, name: string) => {
      const entry = McpDocument.get(document, name)
      return entry === undefined
        ? Effect.fail(notFound(document, name))
        : Effect.succeed(ServerEntry.isObject(entry) ? entry : {})
    }
    const change = (edit: (document: Schema.Json) => Effect.Effect<Schema.Json, McpEditRefused>) =>
      Effect.gen(function* () {
        const before = yield* read
        yield* write(before, yield* edit(before.document))
      }).pipe(
        FileLock.withLock(fs, file),
        Effect.catchTag("PlatformError", (error) => Effect.fail(unwritable(error))),
        (locked) => Effect.andThen(makeHome, locked),
        oneAtATime.withPermits(1)
      )
    const checked = (name: string, entry: Message.JsonObject) => {
      const decoded = ServerEntry.decode(entry)
      return Result.isSuccess(decoded)
        ? Effect.succeed(decoded.success)
        : Effect.fail(
            new McpEditRefused({ reason: "invalid", message: `server "${name}": ${decoded.failure}` })
          )
    }
    const forget = (name: string) =>
      Effect.catchTags(traces.forget(name), {
        PlatformError: (error) => Effect.fail(unwritable(error)),
        TokenStoreFailed: ({ message }) => Effect.fail(new McpEditRefused({ reason: "unwritable", message }))
      })
    const update = (name: string, edit: Edit) =>
      change((document) =>
        Effect.gen(function* () {
          const edited = edit(yield* entryOf(document, name))
          const { audience } = yield* checked(name, edited)
          return McpDocument.set(document, name, McpDocument.withAudience(edited, audience))
        })
      )

    return McpConfigFile.of({
      file,
      get: (name) => Effect.flatMap(read, ({ document }) => entryOf(document, name)),
      add: (name, entry, audience) =>
        change((document) =>
          Effect.gen(function* () {
            if (name.trim() === "")
              return yield* new McpEditRefused({ reason: "invalid", message: "a server needs a name" })
            if (McpDocument.get(document, name) !== undefined)
              return yield* new McpEditRefused({
                reason: "exists",
                message: `there is an MCP server "${name}" already`
              })
            yield* checked(name, entry)
            yield* forget(name)
            return McpDocument.set(document, name, McpDocument.withAudience(entry, audience))
          })
        ),
      remove: (name) =>
        change((document) =>
          // First what it left: a removal that is cut short leaves a server that asks for its login again.
          entryOf(document, name).pipe(
            Effect.andThen(forget(name)),
            Effect.as(McpDocument.remove(document, name))
          )
        ),
      setAudience: (name, audience) => update(name, (entry) => McpDocument.withAudience(entry, audience)),
      setEnabled: (name, enabled) => update(name, (entry) => McpDocument.withEnabled(entry, enabled)),
      update
    })
  })
