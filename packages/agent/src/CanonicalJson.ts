/** JSON with the keys of every object in order, so that values which are the same are the same text. Pure. */
import type { Message } from "@cow/core"

type Json = Message.JsonObject[string]

export const stringify = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(stringify).join(",")}]`
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${stringify(one)}`).join(",")}}`
}
