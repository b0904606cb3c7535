/**
 * What a text of `mcp.json`, or the value of `mcp_servers`, says: all accepted forms become one list of servers,
 * each valid or broken with its reason. Pure.
 *
 * One entry is `ServerEntry`; which files count and when they are read is `ConfigSource`.
 */
import { CanonicalJson, Diagnostic, Jsonc } from "@cow/core"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as ServerEntry from "./ServerEntry.ts"

export type ServerSource = "user" | "project" | "config"

export interface ConfiguredServer {
  readonly name: string
  readonly source: ServerSource
  /** As it was written. */
  readonly written: Schema.Json
  readonly entry: Result.Result<ServerEntry.ServerEntry, string>
}

export interface ServerList {
  readonly servers: ReadonlyArray<ConfiguredServer>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
  /** False: what should hold the servers is no map and no list; at a reload the file counts as broken. */
  readonly usable: boolean
}

const wrappers = ["mcpServers", "mcp_servers", "servers"]

const isEntry = (value: unknown): boolean =>
  ServerEntry.isObject(value) && (typeof value.command === "string" || typeof value.url === "string")

/** The key that holds the map or list of servers; `undefined` when the document itself is that. */
export const wrapperOf = (document: Schema.Json): string | undefined =>
  ServerEntry.isObject(document)
    ? wrappers.find((name) => Object.hasOwn(document, name) && !isEntry(document[name]))
    : undefined

const contentOf = (document: Schema.Json): { readonly value: Schema.Json; readonly bare: boolean } => {
  const key = wrapperOf(document)
  if (key === undefined || !ServerEntry.isObject(document)) return { value: document, bare: true }
  return { value: document[key] ?? null, bare: false }
}

const twice = (path: string, name: string, where: string): Diagnostic.Diagnostic =>
  Diagnostic.warning(path, `server "${name}" is there twice, ${where}: the last one counts`)

/**
 * The servers of a document.
 *
 * @param path for messages: the file, or the key of `config.json`
 */
export const ofDocument = (document: Schema.Json, source: ServerSource, path: string): ServerList => {
  const { value, bare } = contentOf(document)
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  const found = new Map<string, ConfiguredServer>()
  const add = (name: string, written: Schema.Json): void => {
    const entry = ServerEntry.decode(written)
    found.set(name, { name, source, written, entry })
    if (Result.isFailure(entry))
      diagnostics.push(Diagnostic.error(path, `server "${name}": ${entry.failure}`))
    else
      for (const text of entry.success.warnings)
        diagnostics.push(Diagnostic.warning(path, `server "${name}": ${text}`))
  }
  if (Array.isArray(value)) {
    const entryOf = new Map<string, number>()
    value.forEach((one, at) => {
      const name = ServerEntry.isObject(one) ? one.name : undefined
      if (typeof name === "string" && name !== "") {
        const before = entryOf.get(name)
        if (before !== undefined) diagnostics.push(twice(path, name, `as entries ${before} and ${at + 1}`))
        entryOf.set(name, at + 1)
        add(name, one)
      } else diagnostics.push(Diagnostic.error(path, `entry ${at + 1} of the list has no "name": skipped`))
    })
  } else if (ServerEntry.isObject(value))
    for (const [name, written] of Object.entries(value)) {
      // `$schema` and the like stand beside the servers of a bare map.
      if (bare && name.startsWith("$") && typeof written === "string") continue
      if (name !== "") add(name, written)
      else diagnostics.push(Diagnostic.error(path, "a server without a name: skipped"))
    }
  else if (value !== null || !ServerEntry.isObject(document)) {
    diagnostics.push(Diagnostic.warning(path, "the servers must be a map or a list"))
    return { servers: [], diagnostics, usable: false }
  }
  return { servers: [...found.values()], diagnostics, usable: true }
}

interface Read extends Pick<Jsonc.JsoncDocument, "duplicates"> {
  readonly document: Schema.Json
}

const read = (text: string): Result.Result<Read, string> => {
  const parsed = Jsonc.parse(text)
  if (Result.isFailure(parsed)) return Result.fail(`line ${parsed.failure.line}: ${parsed.failure.message}`)
  const { duplicates, empty, value } = parsed.success
  // An editor may just have emptied it to write it anew: that is no list without servers.
  if (empty) return Result.fail("line 1: the file is empty")
  return typeof value === "object" && value !== null
    ? Result.succeed({ document: value, duplicates })
    : Result.fail("line 1: a map or a list of servers is expected")
}

/** The map or list in a text. Comments, trailing commas and a byte order mark are taken. Fails naming the line. */
export const documentIn = (text: string): Result.Result<Schema.Json, string> =>
  Result.map(read(text), ({ document }) => document)

/** Fails when the text cannot be parsed or is not a map or a list at all; the message names the line. */
export const ofText = (text: string, source: ServerSource, path: string): Result.Result<ServerList, string> =>
  Result.map(read(text), ({ document, duplicates }) => {
    const list = ofDocument(document, source, path)
    const wrapper = wrapperOf(document)
    const depth = wrapper === undefined ? 1 : 2
    const again = duplicates.flatMap(({ line, path: keys }) => {
      const name = keys[depth - 1]
      return keys.length === depth && (depth === 1 || keys[0] === wrapper) && name !== undefined
        ? [twice(path, name, `the second time at line ${line}`)]
        : []
    })
    return { ...list, diagnostics: [...again, ...list.diagnostics] }
  })

/**
 * Everything of an entry that a running server was started with. Two entries with the same text need no restart,
 * whatever else differs (who may use it, which of its tools are shown).
 */
export const startKey = (entry: ServerEntry.ServerEntry): string =>
  CanonicalJson.stringify({
    transport: entry.transport,
    connect: entry.connectTimeoutSeconds ?? null,
    timeout: entry.timeoutSeconds ?? null,
    stopGrace: entry.stopGraceSeconds ?? null,
    protocol: entry.protocol
  })

/**
 * Which program or address an entry names, as it is written: values of variables and headers apart, of which it has the
 * names. What is offered by one is not asked of another. May hold secrets.
 */
export const originOf = ({ transport }: ServerEntry.ServerEntry): string =>
  CanonicalJson.stringify(
    transport._tag === "Stdio"
      ? {
          command: transport.command,
          args: transport.args,
          cwd: transport.cwd ?? null,
          env: Object.keys(transport.env).sort()
        }
      : { url: transport.url, headers: Object.keys(transport.headers).sort() }
  )
