/**
 * Which servers are configured now: `COW_HOME/mcp.json`, else `mcp_servers` of `config.json`, and on top those of
 * the project's `.mcp.json`. Where nothing has changed, a look costs one `stat` for each of the files that count.
 *
 * Looking at one file is `ServersFile` and `ConfigServers`; applying what they say is `McpManager`; changing the
 * user's is `McpConfigFile`.
 */
import { Diagnostic } from "@cow/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { ConfigPlaces } from "./ConfigPlaces.ts"
import * as ConfigServers from "./ConfigServers.ts"
import type * as McpConfig from "./McpConfig.ts"
import * as ProjectServers from "./ProjectServers.ts"
import * as ServersFile from "./ServersFile.ts"

export interface ConfigDiagnostic extends Diagnostic.Diagnostic {
  /** True: it was a warning of the log already, when it was found. */
  readonly logged: boolean
}

export interface Configuration {
  readonly servers: ReadonlyArray<McpConfig.ConfiguredServer>
  /** Names among them that are not started because their folder is not trusted. */
  readonly untrusted: ReadonlySet<string>
  readonly diagnostics: ReadonlyArray<ConfigDiagnostic>
}

export interface ConfigSource {
  /** `None`: nothing changed since the last call, or what changed is broken and what was there stays in force. */
  readonly check: Effect.Effect<Option.Option<Configuration>>
  /** Reads again, whatever `stat` says. */
  readonly read: Effect.Effect<Configuration>
  /** Everything there is to say about the files as they were last read. */
  readonly diagnostics: Effect.Effect<ReadonlyArray<ConfigDiagnostic>>
  /** Absolute paths of all files that may count. */
  readonly files: ReadonlyArray<string>
}

const leftOut = "it is left out"

export const make = (fs: FileSystem.FileSystem, places: ConfigPlaces): ConfigSource => {
  const user = ServersFile.make(fs, places.userFile, "user")
  const project =
    places.projectFile === undefined ? undefined : ServersFile.make(fs, places.projectFile, "project")
  const config = ConfigServers.make(places.configServers, places.configReader)
  let started = false
  let trusted: ReadonlyMap<string, McpConfig.ConfiguredServer> = new Map()

  const current = (): Configuration => {
    const broken = [user, project].flatMap((file): ReadonlyArray<ConfigDiagnostic> => {
      const fault = file?.fault()
      if (file === undefined || fault === undefined) return []
      const kept = file.list() === undefined ? leftOut : ServersFile.servesOn
      return [{ ...Diagnostic.warning(file.path, `broken (${fault}): ${kept}`), logged: true }]
    })
    const diagnostics: Array<Diagnostic.Diagnostic> = []
    const basePath = user.list() === undefined ? ConfigServers.place : user.path
    const base = user.list() ?? config.list()
    diagnostics.push(...base.diagnostics, ...(project?.list()?.diagnostics ?? []))
    const servers = new Map(base.servers.map((server) => [server.name, server]))
    const path = project?.path ?? "the project"
    const sifted = ProjectServers.sift(project?.list()?.servers ?? [], trusted, path)
    diagnostics.push(...sifted.diagnostics)
    const untrusted = new Set<string>()
    for (const server of sifted.servers) {
      const isUntrusted = sifted.untrusted.has(server.name)
      if (servers.has(server.name)) {
        const wins = isUntrusted ? basePath : path
        const message = `server "${server.name}" is in ${basePath} and in ${path}: ${wins} counts`
        diagnostics.push(Diagnostic.warning(path, message))
        if (isUntrusted) continue
      }
      servers.set(server.name, server)
      if (isUntrusted) untrusted.add(server.name)
    }
    const unlogged = diagnostics.map((one): ConfigDiagnostic => ({ ...one, logged: false }))
    return { servers: [...servers.values()], untrusted, diagnostics: [...broken, ...unlogged] }
  }

  const lookAtAll = (force: boolean) =>
    Effect.gen(function* () {
      const userChanged = yield* user.look(force, "mcp_servers of config.json counts")
      const projectChanged = project === undefined ? false : yield* project.look(force, leftOut)
      const first = !started
      started = true
      // What the settings were read from was read a moment ago.
      const configChanged = first || user.list() !== undefined ? false : yield* config.look(force)
      if (first ? places.projectTrusted : (projectChanged || force) && (yield* places.isProjectTrusted))
        trusted = new Map((project?.list()?.servers ?? []).map((server) => [server.name, server]))
      return userChanged || projectChanged || configChanged || first
    })
  return {
    check: Effect.map(lookAtAll(false), (changed) => (changed ? Option.some(current()) : Option.none())),
    read: Effect.map(lookAtAll(true), current),
    diagnostics: Effect.sync(() => current().diagnostics),
    files: [
      places.userFile,
      ...(places.projectFile === undefined ? [] : [places.projectFile]),
      ...(places.configReader?.files ?? [])
    ]
  }
}
