/**
 * The stream of an Anthropic answer. Once a stop reason was given and every block is closed the answer stands, with or
 * without `message_stop` and whatever follows; and one that ends in order without a stop reason is one that calls, if
 * it has calls and all of them are whole.
 */
import { JsonValue, type Message } from "@cow/core"
import { isCallable, objectIn, said } from "../ReceivedText.ts"
import type { WireFold } from "./WireFold.ts"

interface AnthropicState {
  readonly stop: string | undefined
  /** Index of the blocks that are not closed, with the arguments written so far. */
  readonly open: ReadonlyMap<unknown, { readonly isCall: boolean; readonly written: string }>
  /** Closed calls that can run, and those that cannot. */
  readonly calls: number
  readonly broken: number
  readonly outputTokens: number
}

const stopped = JSON.stringify({ type: "message_stop" })

const isWhole = ({ open, stop }: AnthropicState): boolean => stop !== undefined && open.size === 0

const opened = (
  state: AnthropicState,
  { content_block: block, index }: Message.JsonObject
): AnthropicState => {
  const isCall = JsonValue.isObject(block) && block.type === "tool_use"
  return { ...state, open: new Map(state.open).set(index, { isCall, written: "" }) }
}

const written = (state: AnthropicState, { delta, index }: Message.JsonObject): AnthropicState => {
  const block = state.open.get(index)
  if (block?.isCall !== true || !JsonValue.isObject(delta) || typeof delta.partial_json !== "string")
    return state
  const more = { ...block, written: block.written + delta.partial_json }
  return { ...state, open: new Map(state.open).set(index, more) }
}

const closed = (state: AnthropicState, { index }: Message.JsonObject): AnthropicState => {
  const open = new Map(state.open)
  const block = open.get(index)
  open.delete(index)
  if (block?.isCall !== true) return { ...state, open }
  return isCallable(block.written)
    ? { ...state, open, calls: state.calls + 1 }
    : { ...state, open, broken: state.broken + 1 }
}

const delta = (stop: string | undefined, more: Message.JsonObject, usage: Message.JsonObject): string =>
  JSON.stringify({ type: "message_delta", delta: { ...more, stop_reason: stop ?? null }, usage })

/** A stop reason once given stays, and the SDK does not take this event without a count of tokens. */
const ending = (state: AnthropicState, event: Message.JsonObject) => {
  const more = JsonValue.isObject(event.delta) ? event.delta : {}
  const usage = JsonValue.isObject(event.usage) ? event.usage : {}
  const stop = said(more.stop_reason) ?? state.stop
  const tokens = typeof usage.output_tokens === "number" ? {} : { output_tokens: state.outputTokens }
  const mended = {
    ...event,
    ...(JSON.parse(delta(stop, more, { ...usage, ...tokens })) as Message.JsonObject)
  }
  return { state: { ...state, stop }, pass: [JSON.stringify(mended)], ended: false }
}

const tokensOf = ({ message }: Message.JsonObject): number => {
  const usage = JsonValue.isObject(message) ? message.usage : undefined
  const tokens = JsonValue.isObject(usage) ? usage.output_tokens : undefined
  return typeof tokens === "number" ? tokens : 0
}

export const fold: WireFold<AnthropicState> = {
  initial: { stop: undefined, open: new Map(), calls: 0, broken: 0, outputTokens: 0 },
  step: (state, data) => {
    // A broken event behind the stop reason is as good as an error: the answer was given.
    const event = objectIn(data) ?? { type: "error" }
    const passed = (state: AnthropicState) => ({ state, pass: [data], ended: false })
    switch (event.type) {
      case "message_start":
        return passed({ ...state, outputTokens: tokensOf(event) })
      case "content_block_start":
        return passed(opened(state, event))
      case "content_block_delta":
        return passed(written(state, event))
      case "content_block_stop":
        return passed(closed(state, event))
      case "message_delta":
        return ending(state, event)
      case "message_stop": {
        const calls =
          state.stop === undefined && state.open.size === 0 && state.calls > 0 && state.broken === 0
        const reason = calls
          ? [delta("tool_use", { stop_sequence: null }, { output_tokens: state.outputTokens })]
          : []
        return { state, pass: [...reason, data], ended: true }
      }
      case "error":
        return isWhole(state) ? { state, pass: [stopped], ended: true } : passed(state)
      default:
        return passed(state)
    }
  },
  end: (state) => (isWhole(state) ? [stopped] : null)
}
