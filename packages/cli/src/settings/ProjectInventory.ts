/**
 * What a project folder would bring if it were trusted, as lines for the person who decides: the programs and
 * addresses of its servers, its settings, its skills. Which items need trust is policy's `ProjectFiles`.
 */
import { Jsonc, PlatformFault, Secrets } from "@cow/core"
import { McpConfig } from "@cow/mcp"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { compact } from "../terminal/Printable.ts"

/** As it would be typed. */
const word = (text: string): string => (/^[\w@%+=:,./${}-]+$/.test(text) ? text : JSON.stringify(text))

const withoutPassword = (url: string): string =>
  url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, (_, scheme) => `${scheme}${Secrets.mask}@`)

type Server = McpConfig.ServerList["servers"][number]

const serverLine = ({ entry, name }: Server): string => {
  if (Result.isFailure(entry)) return `server ${name} cannot start: ${entry.failure}`
  const { enabled, transport } = entry.success
  const off = enabled ? "" : " (disabled)"
  if (transport._tag === "Http") {
    const headers = Object.keys(transport.headers)
    const sends = headers.length === 0 ? "" : ` with ${headers.join(", ")}`
    return `server ${name} connects to ${withoutPassword(transport.url)}${sends}${off}`
  }
  const variables = Object.keys(transport.env).map((variable) => `${variable}=… `)
  const line = [transport.command, ...transport.args].map(word).join(" ")
  const where = transport.cwd === undefined ? "" : ` in ${transport.cwd}`
  return `server ${name} runs ${variables.join("")}${line}${where}${off}`
}

const serverLines = (text: string, at: string): ReadonlyArray<string> =>
  Result.match(McpConfig.ofText(text, "project", at), {
    onFailure: (why) => [`.mcp.json cannot be read: ${why}`],
    onSuccess: ({ servers }) => servers.map(serverLine)
  })

const maxShownChars = 120

const shown = (key: string, value: Schema.Json): string => {
  // A key may stand in a provider's entry.
  const keys = typeof value === "object" && value !== null ? Object.keys(value).join(", ") : ""
  if (key === "providers") return keys
  const text = compact(JSON.stringify(value))
  return text.length > maxShownChars ? `${text.slice(0, maxShownChars - 1)}…` : text
}

const settingLines = (text: string): ReadonlyArray<string> =>
  Result.match(Jsonc.parse(text), {
    onFailure: ({ line, message }) => [`.cow/config.json cannot be read: line ${line}: ${message}`],
    onSuccess: ({ value }) =>
      typeof value === "object" && value !== null
        ? Object.entries(value).map(([key, one]) => `setting ${key}: ${shown(key, one)}`)
        : []
  })

/** One line each. `items`: what needs trust, relative to the folder. */
export const lines = Effect.fnUntraced(function* (folder: string, items: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const linesOf = (item: string) => {
    const at = path.join(folder, item)
    if (item !== ".mcp.json" && item !== ".cow/config.json") return Effect.succeed([`skill ${item}`])
    return fs.readFileString(at).pipe(
      Effect.map((text) => (item === ".mcp.json" ? serverLines(text, at) : settingLines(text))),
      Effect.catch((error) => Effect.succeed([`${item} cannot be read: ${PlatformFault.describe(error)}`]))
    )
  }
  return (yield* Effect.forEach(items, linesOf)).flat()
})
