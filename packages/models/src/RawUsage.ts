/**
 * What an Anthropic stream says of its tokens before its end: the SDK tells it only with a finish, which a reply that
 * breaks off does not have. Pure.
 */
import { JsonValue, type Model } from "@cow/core"

const count = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0

/** The usage in a `message_start` event; undefined for every other one. */
export const read = (raw: unknown): Model.Usage | undefined => {
  if (!JsonValue.isObject(raw) || raw.type !== "message_start" || !JsonValue.isObject(raw.message))
    return undefined
  const { usage } = raw.message
  if (!JsonValue.isObject(usage)) return undefined
  const cachedTokens = count(usage.cache_read_input_tokens)
  return {
    inputTokens: count(usage.input_tokens) + cachedTokens + count(usage.cache_creation_input_tokens),
    outputTokens: count(usage.output_tokens),
    cachedTokens
  }
}
