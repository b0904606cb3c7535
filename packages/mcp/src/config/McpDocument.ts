/**
 * Edits of a configuration document as a value: the form it has, the order of servers and every unknown field
 * stay. Pure. Reading and writing the file is `McpConfigFile`.
 */
import type { Message } from "@cow/core"
import { Audience } from "@cow/core"
import type * as Schema from "effect/Schema"
import * as McpConfig from "./McpConfig.ts"
import { isObject } from "./ServerEntry.ts"

/** Sets an own property, also one that is called `__proto__`. */
const withField = (
  object: Message.JsonObject,
  key: string,
  value: Schema.Json | undefined
): Message.JsonObject => {
  const entries = Object.entries(object)
  const at = entries.findIndex(([name]) => name === key)
  if (value === undefined) return Object.fromEntries(entries.filter(([name]) => name !== key))
  if (at < 0) entries.push([key, value])
  else entries[at] = [key, value]
  return Object.fromEntries(entries)
}

/** The document with this in place of its map or list of servers. */
const withServers = (document: Schema.Json, servers: Schema.Json): Schema.Json => {
  const key = McpConfig.wrapperOf(document)
  if (key !== undefined && isObject(document)) return withField(document, key, servers)
  const isNew = !isObject(document) || Object.keys(document).length === 0
  return isNew && !Array.isArray(document) ? { mcpServers: servers } : servers
}

const serversOf = (document: Schema.Json): Schema.Json => {
  const key = McpConfig.wrapperOf(document)
  return key !== undefined && isObject(document) ? (document[key] ?? {}) : document
}

/** The entry of a server; `undefined` when there is none. Of a list, the last of that name, which is the one that counts. */
export const get = (document: Schema.Json, name: string): Schema.Json | undefined => {
  const servers = serversOf(document)
  if (Array.isArray(servers)) return servers.findLast((one) => isObject(one) && one.name === name)
  return isObject(servers) && Object.hasOwn(servers, name) ? servers[name] : undefined
}

/** Puts the entry in the place of the one of that name, or at the end. */
export const set = (document: Schema.Json, name: string, entry: Message.JsonObject): Schema.Json => {
  const servers = serversOf(document)
  if (!Array.isArray(servers))
    return withServers(document, withField(isObject(servers) ? servers : {}, name, entry))
  const at = servers.findLastIndex((one) => isObject(one) && one.name === name)
  const named = { name, ...withField(entry, "name", undefined) }
  return withServers(document, at < 0 ? [...servers, named] : servers.with(at, named))
}

/** Without the server, however often it is there. */
export const remove = (document: Schema.Json, name: string): Schema.Json => {
  const servers = serversOf(document)
  if (Array.isArray(servers))
    return withServers(
      document,
      servers.filter((one) => !isObject(one) || one.name !== name)
    )
  return isObject(servers) ? withServers(document, withField(servers, name, undefined)) : document
}

export const withAudience = (entry: Message.JsonObject, audience: Audience.Audience): Message.JsonObject =>
  withField(entry, "allowed_persona_ids", [...Audience.toIds(audience)])

/** Says it in the word the entry uses already; `disabled` where it uses none. */
export const withEnabled = (entry: Message.JsonObject, enabled: boolean): Message.JsonObject => {
  const first = Object.hasOwn(entry, "enabled") ? withField(entry, "enabled", enabled) : entry
  if (Object.hasOwn(entry, "disabled")) return withField(first, "disabled", !enabled)
  return enabled || Object.hasOwn(entry, "enabled") ? first : withField(first, "disabled", true)
}
