/**
 * Answers of a server that JSON-RPC does not allow, read as the error they are. The MCP client drops such a message, and
 * whoever waits for it would wait until the timeout. Pure.
 */
import type { Message } from "@cow/core"
import { Excerpt } from "@cow/core"
import { isObject } from "../config/ServerEntry.ts"

/** JSON-RPC: internal error. */
const internal = -32603
const maxQuoted = 200

const failed = ({ id }: Message.JsonObject, error: Message.JsonObject): Message.JsonObject => ({
  jsonrpc: "2.0",
  id: id ?? null,
  error
})

const quoted = (value: unknown): string => Excerpt.head(JSON.stringify(value) ?? "nothing", maxQuoted)

/** The same message when it is well formed, or no answer. */
export const repair = (message: Message.JsonObject): Message.JsonObject => {
  const { error, id, method, result } = message
  if (method !== undefined || (typeof id !== "string" && typeof id !== "number")) return message
  if (Object.hasOwn(message, "error") && error !== null) {
    if (!isObject(error)) return failed(message, { code: internal, message: quoted(error) })
    const { code, message: text } = error
    if (Number.isInteger(code) && typeof text === "string") return message
    return failed(message, {
      ...error,
      code: typeof code === "number" && Number.isInteger(code) ? code : internal,
      message: typeof text === "string" ? text : quoted(text ?? error)
    })
  }
  if (isObject(result)) return message
  const said = Object.hasOwn(message, "result") ? quoted(result) : "nothing"
  return failed(message, { code: internal, message: `the server's answer is ${said}, not an object` })
}
