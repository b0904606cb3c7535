/**
 * What other programs write in their own files about MCP servers, as entries of `mcp.json`. Pure: where the files are
 * and how they are read is the CLI's, and what an entry means is `ServerEntry`.
 */
import type { Message } from "@cow/core"
import type * as Schema from "effect/Schema"
import * as McpConfig from "./McpConfig.ts"
import { isObject } from "./ServerEntry.ts"

export const clients = [
  "claude-desktop",
  "claude-code",
  "cursor",
  "vscode",
  "codex",
  "gemini",
  "opencode"
] as const
export type Client = (typeof clients)[number]

export interface ForeignServer {
  readonly name: string
  readonly entry: Message.JsonObject
  /** What the other program has in it that Cow cannot take over. */
  readonly notes: ReadonlyArray<string>
}

type Fields = Readonly<Record<string, Schema.Json | undefined>>

/** Without the fields that are not there. */
const entryOf = (fields: Fields): Message.JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(
      (one): one is [string, Schema.Json] => one[1] !== undefined && one[1] !== null
    )
  )

const seconds = (millis: Schema.Json | undefined): number | undefined =>
  typeof millis === "number" && millis > 0 ? millis / 1000 : undefined

const disabledWhen = (off: boolean): true | undefined => (off ? true : undefined)

const mapTexts = (value: Schema.Json, change: (text: string) => string): Schema.Json => {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one, change)]))
}

/** The fields that most programs write alike. */
const common = (written: Message.JsonObject): Fields => {
  const { args, command, cwd, disabled, enabled, env, headers, type, url } = written
  return { type, command, args, env, cwd, url, headers, enabled, disabled }
}

const codex = (written: Message.JsonObject): Message.JsonObject => {
  const { bearer_token_env_var: bearer, env_http_headers: fromEnv, http_headers: headers, ...rest } = written
  const variables = isObject(fromEnv)
    ? Object.fromEntries(Object.entries(fromEnv).map(([name, variable]) => [name, `\${${variable}}`]))
    : {}
  const all = {
    ...(isObject(headers) ? headers : {}),
    ...variables,
    ...(typeof bearer === "string" ? { Authorization: `Bearer \${${bearer}}` } : {})
  }
  return entryOf({
    ...common(rest),
    headers: Object.keys(all).length === 0 ? undefined : all,
    connect_timeout: rest.startup_timeout_sec ?? seconds(rest.startup_timeout_ms),
    timeout: rest.tool_timeout_sec,
    includeTools: rest.enabled_tools,
    excludeTools: rest.disabled_tools
  })
}

const gemini = (written: Message.JsonObject): Message.JsonObject => {
  const { httpUrl, url, timeout, includeTools, excludeTools } = written
  return entryOf({
    ...common(written),
    type: httpUrl !== undefined ? "http" : url !== undefined ? "sse" : undefined,
    url: httpUrl ?? url,
    timeout: seconds(timeout),
    includeTools,
    excludeTools
  })
}

const opencode = (written: Message.JsonObject): Message.JsonObject => {
  const { command, enabled, environment, headers, timeout, url } = written
  const [program, ...args] = Array.isArray(command) ? command : [command]
  return entryOf({
    command: program,
    args: args.length === 0 ? undefined : args,
    env: environment,
    url,
    headers,
    connect_timeout: seconds(timeout),
    disabled: disabledWhen(enabled === false)
  })
}

const usual = (written: Message.JsonObject): Message.JsonObject => entryOf(common(written))

const readers: Record<Client, (written: Message.JsonObject) => Message.JsonObject> = {
  "claude-desktop": usual,
  "claude-code": usual,
  cursor: usual,
  vscode: usual,
  codex,
  gemini,
  opencode
}

/** `api-key` of an input that a person is asked for, as the name of a variable. */
const variableOf = (input: string): string => input.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase()

interface Surroundings {
  /** Absolute path of the project's folder. */
  readonly workspace: string
  /** Absolute path of the user's home folder. */
  readonly home: string
}

const withVariables = (client: Client, around: Surroundings, notes: Array<string>) => (text: string) => {
  switch (client) {
    case "gemini":
      return text.replace(/\$([A-Za-z_][A-Za-z0-9_]*)/g, (_, name: string) => `\${${name}}`)
    case "opencode":
      return text.replace(/\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => `\${${name}}`)
    case "cursor":
    case "vscode":
      return text
        .replace(/\$\{(?:workspaceFolder|workspaceRoot)\}/g, () => around.workspace)
        .replace(/\$\{userHome\}/g, () => around.home)
        .replace(/\$\{(?:pathSeparator|\/)\}/g, "/")
        .replace(/\$\{input:([^}]+)\}/g, (_, input: string) => {
          const name = variableOf(input)
          notes.push(`it asks for "${input}": set the variable ${name} instead`)
          return `\${${name}}`
        })
    default:
      return text
  }
}

const tableIn = (value: Schema.Json | undefined, ...path: ReadonlyArray<string>): Message.JsonObject => {
  let inner = value
  for (const key of path) inner = isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined
  return isObject(inner) ? inner : {}
}

const tablesOf = (
  client: Client,
  document: Schema.Json,
  workspace: string
): ReadonlyArray<Message.JsonObject> => {
  switch (client) {
    case "claude-code":
      return [tableIn(document, "mcpServers"), tableIn(document, "projects", workspace, "mcpServers")]
    case "vscode":
      return [tableIn(document, "mcp", "servers"), tableIn(document, "servers")]
    case "codex":
      return [tableIn(document, "mcp_servers")]
    case "opencode":
      return [tableIn(document, "mcp")]
    default:
      return [tableIn(document, "mcpServers")]
  }
}

/** The servers of a program's file, in its order. Of equal names the last counts, as there. */
export const servers = (
  client: Client,
  document: Schema.Json,
  around: Surroundings
): ReadonlyArray<ForeignServer> => {
  const found = new Map<string, ForeignServer>()
  for (const table of tablesOf(client, document, around.workspace))
    for (const [name, written] of Object.entries(table)) {
      if (!isObject(written)) continue
      const notes: Array<string> = []
      const entry = mapTexts(readers[client](written), withVariables(client, around, notes))
      if (isObject(entry)) found.set(name, { name, entry, notes: [...new Set(notes)] })
    }
  return [...found.values()]
}

/** Whose file it is, by what stands in it; `undefined` where it is in the form of `mcp.json`. */
export const clientOf = (document: Schema.Json): Client | undefined => {
  const entries = Object.values(tableIn(document, "mcp"))
  if (entries.some((one) => isObject(one) && (one.type === "local" || one.type === "remote")))
    return "opencode"
  if (Object.keys(tableIn(document, "mcp", "servers")).length > 0) return "vscode"
  if (Object.keys(tableIn(document, "projects")).length > 0) return "claude-code"
  const usualEntries = Object.values(tableIn(document, "mcpServers"))
  if (usualEntries.some((one) => isObject(one) && one.httpUrl !== undefined)) return "gemini"
  return undefined
}

/** The servers of a document in a form that `mcp.json` may have itself. */
export const plain = (document: Schema.Json, path: string): ReadonlyArray<ForeignServer> =>
  McpConfig.ofDocument(document, "user", path).servers.flatMap(({ name, written }) =>
    isObject(written) ? [{ name, entry: written, notes: [] }] : []
  )
