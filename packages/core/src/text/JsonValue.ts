/** What a JSON value is: the one question that everyone asks of what was parsed. Pure. */
import type { JsonObject } from "../model/Message.ts"

/** An object with keys: neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
