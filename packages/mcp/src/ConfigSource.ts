/**
 * Which servers are configured now: `COW_HOME/mcp.json`, else `mcp_servers` of `config.json`, and on top those of
 * the project's `.mcp.json`. Files are looked at by `stat`, read only when that differs, and parsed only when
 * their text differs.
 *
 * What a text means is `McpConfig`; applying it is `McpManager`; changing the file is `McpConfigFile`.
 */
import { Diagnostic } from "@cow/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as McpConfig from "./McpConfig.ts"
import * as ProjectServers from "./ProjectServers.ts"

export interface ConfigPlaces {
  readonly userFile: string
  readonly projectFile: string | undefined
  readonly projectTrusted: boolean
  readonly isProjectTrusted: Effect.Effect<boolean>
  /** The value of `mcp_servers` in `config.json`. */
  readonly configServers: Schema.Json | undefined
}

export interface Configuration {
  readonly servers: ReadonlyArray<McpConfig.ConfiguredServer>
  /** Names among them that are not started because their folder is not trusted. */
  readonly untrusted: ReadonlySet<string>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

export interface ConfigSource {
  /** `None`: nothing changed since the last call, or what changed is broken and what was there stays in force. */
  readonly check: Effect.Effect<Option.Option<Configuration>>
  /** Reads again, whatever `stat` says. */
  readonly read: Effect.Effect<Configuration>
  /** Everything there is to say about the files as they were last read. */
  readonly diagnostics: Effect.Effect<ReadonlyArray<Diagnostic.Diagnostic>>
}

/** One file, remembered. `list` is absent while there is no file, or none that could be used yet. */
interface Remembered {
  readonly mark: string
  readonly text: string | undefined
  readonly list: McpConfig.ServerList | undefined
  readonly fault: string | undefined
}

const absent = "absent"
const unseen: Remembered = { mark: "", text: undefined, list: undefined, fault: undefined }

export const make = (fs: FileSystem.FileSystem, places: ConfigPlaces): ConfigSource => {
  const files = { user: unseen, project: unseen }
  const pathOf = (which: "user" | "project") => (which === "user" ? places.userFile : places.projectFile)
  let started = false
  let trusted: ReadonlyMap<string, McpConfig.ConfiguredServer> = new Map()

  const markOf = (file: string): Effect.Effect<string> =>
    fs.stat(file).pipe(
      Effect.map((info) => {
        const time = Option.map(info.mtime, (date) => date.getTime())
        return `${Option.getOrElse(time, () => 0)} ${info.size} ${Option.getOrElse(info.ino, () => 0n)}`
      }),
      Effect.catch((error) =>
        Effect.succeed(error.reason._tag === "NotFound" ? absent : `unreadable: ${error.message}`)
      )
    )

  /** True when this file now says something else. */
  const look = (which: "user" | "project", force: boolean): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      const file = pathOf(which)
      if (file === undefined) return false
      const before = files[which]
      const mark = yield* markOf(file)
      if (mark === before.mark && !force) return false
      if (mark === absent) {
        files[which] = { ...unseen, mark }
        return before.list !== undefined || before.fault !== undefined
      }
      const read = yield* Effect.result(fs.readFileString(file))
      const text = Result.isSuccess(read) ? read.success : undefined
      if (text !== undefined && text === before.text) {
        files[which] = { ...before, mark }
        return false
      }
      const parsed =
        text === undefined ? Result.fail("it cannot be read") : McpConfig.ofText(text, which, file)
      const usable = Result.isSuccess(parsed) && (parsed.success.usable || !started)
      const fault = Result.isFailure(parsed)
        ? parsed.failure
        : usable
          ? undefined
          : "the servers are no map and no list"
      if (fault === undefined && Result.isSuccess(parsed)) {
        files[which] = { mark, text, list: parsed.success, fault }
        return true
      }
      files[which] = { mark, text, list: before.list, fault }
      const kept = started
        ? "the servers stay as they are"
        : which === "user"
          ? "mcp_servers of config.json counts"
          : "it is left out"
      yield* Effect.logWarning(`${file} is broken (${fault}): ${kept}`)
      // Broken from the start: what stands in its place is the rest of the configuration.
      return before.list === undefined && !started
    })

  const current = (): Configuration => {
    const { user, project } = files
    const diagnostics: Array<Diagnostic.Diagnostic> = []
    for (const which of ["user", "project"] as const) {
      const { fault, list } = files[which]
      const kept = list === undefined ? "it is left out" : "the servers stay as they are"
      if (fault !== undefined)
        diagnostics.push(Diagnostic.warning(pathOf(which) ?? which, `broken (${fault}): ${kept}`))
    }
    const config = McpConfig.ofDocument(places.configServers ?? {}, "config", "config.json: mcp_servers")
    const base = user.list ?? config
    diagnostics.push(...base.diagnostics, ...(project.list?.diagnostics ?? []))
    const servers = new Map(base.servers.map((server) => [server.name, server]))
    const path = places.projectFile ?? "the project"
    const sifted = ProjectServers.sift(project.list?.servers ?? [], trusted, path)
    diagnostics.push(...sifted.diagnostics)
    const untrusted = new Set<string>()
    for (const server of sifted.servers) {
      const isUntrusted = sifted.untrusted.has(server.name)
      if (servers.has(server.name)) {
        const wins = isUntrusted ? places.userFile : path
        const message = `server "${server.name}" is in ${places.userFile} and in ${path}: ${wins} counts`
        diagnostics.push(Diagnostic.warning(path, message))
        if (isUntrusted) continue
      }
      servers.set(server.name, server)
      if (isUntrusted) untrusted.add(server.name)
    }
    return { servers: [...servers.values()], untrusted, diagnostics }
  }

  const lookAtAll = (force: boolean) =>
    Effect.gen(function* () {
      const user = yield* look("user", force)
      const project = yield* look("project", force)
      const first = !started
      started = true
      if (first ? places.projectTrusted : (project || force) && (yield* places.isProjectTrusted))
        trusted = new Map((files.project.list?.servers ?? []).map((server) => [server.name, server]))
      return user || project || first
    })
  return {
    check: Effect.map(lookAtAll(false), (changed) => (changed ? Option.some(current()) : Option.none())),
    read: Effect.map(lookAtAll(true), current),
    diagnostics: Effect.sync(() => current().diagnostics)
  }
}
