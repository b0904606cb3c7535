/** What people may see of a configuration and of messages about it: variables unexpanded, secrets masked. Pure. */
import type { Message } from "@cow/core"
import { Excerpt, Secrets, Variables } from "@cow/core"
import type * as Schema from "effect/Schema"
import { isObject } from "../config/ServerEntry.ts"

const { mask } = Secrets

const maxMessageLength = 600

/** One line of at most 600 characters in which no secret stands. */
export const message = (text: string, secrets: ReadonlyArray<string>): string => {
  const hidden = Secrets.hide(text, secrets)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a server's words must not steer a terminal
  const line = hidden.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ")
  return Excerpt.wellFormed(Excerpt.middle(line.trim(), maxMessageLength, " … "))
}

const maskTable = (table: Schema.Json): Schema.Json =>
  isObject(table)
    ? Object.fromEntries(
        Object.entries(table).map(([key, value]) => [
          key,
          typeof value === "string" && Variables.has(value) ? value : mask
        ])
      )
    : mask

const secretWord = "(?:key|token|secret|passw|auth|credential)"
const secretQuery = new RegExp(`([?&][^=&#]*${secretWord}[^=&#]*=)([^&#]*)`, "gi")
const secretOption = new RegExp(`^(--?[\\w-]*${secretWord}[\\w-]*)(?:=(.*))?$`, "is")

/** A literal becomes the mask; a text with a variable in it says nothing by itself. */
const maskLiteral = (value: string): string => (Variables.has(value) ? value : mask)

const maskUrl = (url: string): string =>
  url
    .replace(
      /^([a-z]+:\/\/)([^/@]*)@/i,
      (_, scheme: string, user: string) => `${scheme}${maskLiteral(user)}@`
    )
    .replace(secretQuery, (_, name: string, value: string) => name + maskLiteral(value))

/** `API_KEY=x` for a program like `env`, and `Authorization: x` behind an option for headers. */
const secretPair = new RegExp(`^([\\w-]*${secretWord}[\\w-]*(?:=|:\\s*))(.+)$`, "is")

/** `--api-key=x`, `--api-key x`, pairs and addresses. */
const maskArgs = (args: ReadonlyArray<Schema.Json>): ReadonlyArray<Schema.Json> =>
  args.map((arg, at) => {
    if (typeof arg !== "string") return arg
    const [, name, secret] = arg.startsWith("-") ? [] : (secretPair.exec(arg) ?? [])
    if (name !== undefined && secret !== undefined) return `${name}${maskLiteral(secret)}`
    if (/^[a-z]+:\/\//i.test(arg)) return maskUrl(arg)
    const [, option, value] = secretOption.exec(arg) ?? []
    if (option !== undefined && value !== undefined) return `${option}=${maskLiteral(value)}`
    const before = args[at - 1]
    const [, flag, inline] = typeof before === "string" ? (secretOption.exec(before) ?? []) : []
    return flag !== undefined && inline === undefined && !arg.startsWith("-") ? maskLiteral(arg) : arg
  })

/** The entry as it was written, with the literal values of `env` and `headers`, and other likely secrets, masked. */
export const entry = (written: Schema.Json): Message.JsonObject => {
  if (!isObject(written)) return {}
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => {
      if (key === "env" || key === "headers") return [key, maskTable(value)]
      if (key === "args" && Array.isArray(value)) return [key, maskArgs(value)]
      return [key, key === "url" && typeof value === "string" ? maskUrl(value) : value]
    })
  )
}

/** What a server is, for a list: its command line or its address, secrets masked; `""` where the entry says neither. */
export const target = (written: Schema.Json): string => {
  const { args, command, url } = entry(written)
  if (typeof command !== "string") return typeof url === "string" ? url : ""
  const words = [command, ...(Array.isArray(args) ? args.map(String) : [])]
  return words.map((word) => (/[\s"']|^$/.test(word) ? JSON.stringify(word) : word)).join(" ")
}
