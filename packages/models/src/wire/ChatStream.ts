/**
 * The stream of a chat completion. Text and thinking pass as they come; calls are held back, put together
 * (`CallPieces`) and handed on whole with the finish reason at the end, which is `[DONE]` or the end of the body.
 *
 * A finish reason once given stays, whatever breaks off behind it. Without one, a stream that ends in order (`[DONE]`,
 * or the count of tokens) is one that calls, if it has calls and all of them are whole; anything else is no reply.
 */
import { JsonValue, type Message } from "@cow/core"
import { isCallable, objectIn, said } from "../ReceivedText.ts"
import * as CallPieces from "./CallPieces.ts"
import type { WireFold } from "./WireFold.ts"

interface ChatState {
  readonly calls: ReadonlyArray<CallPieces.PiecedCall>
  readonly finish: string | undefined
  /** The count of tokens, which comes behind everything else, was given. */
  readonly counted: boolean
}

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** @param request the JSON that was sent; read only when a name comes in more than one piece */
const namesIn = (request: string): CallPieces.ToolNames => {
  let known: ReadonlySet<string> | undefined
  const names = () =>
    (known ??= new Set(
      list(objectIn(request)?.tools).flatMap((tool) =>
        JsonValue.isObject(tool) && JsonValue.isObject(tool.function) ? (said(tool.function.name) ?? []) : []
      )
    ))
  return {
    has: (name) => names().has(name),
    begin: (start) => names().has(start) || [...names()].some((name) => name.startsWith(start))
  }
}

const pieceOf = (value: unknown): CallPieces.CallPiece => {
  const piece = JsonValue.isObject(value) ? value : {}
  const called = JsonValue.isObject(piece.function) ? piece.function : {}
  const written = called.arguments
  return {
    index: typeof piece.index === "number" ? piece.index : undefined,
    id: said(piece.id),
    name: said(called.name),
    arguments:
      typeof written === "string" ? written : JsonValue.isObject(written) ? JSON.stringify(written) : "",
    extra: piece.extra_content ?? undefined
  }
}

const chunk = (calls: ReadonlyArray<CallPieces.PiecedCall>, reason: string): string => {
  const tool_calls = CallPieces.ordered(calls).map((call, index) => ({
    index,
    ...(call.id === undefined ? {} : { id: call.id }),
    type: "function",
    // Without a name the SDK says what is wrong with the answer.
    function: { ...(call.name === "" ? {} : { name: call.name }), arguments: call.arguments },
    ...(call.extra === undefined ? {} : { extra_content: call.extra })
  }))
  const delta = tool_calls.length === 0 ? {} : { tool_calls }
  return JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })
}

/** The last chunk of a reply, or null where there is none. */
const last = ({ calls, finish }: ChatState, inOrder: boolean): ReadonlyArray<string> | null => {
  if (finish !== undefined) return [chunk(calls, finish)]
  const whole = calls.every((call) => call.name !== "" && isCallable(call.arguments))
  return inOrder && calls.length > 0 && whole ? [chunk(calls, "tool_calls")] : null
}

const withoutCalls = (event: Message.JsonObject, choice: Message.JsonObject): string => {
  const { tool_calls: _, ...delta } = JsonValue.isObject(choice.delta) ? choice.delta : {}
  return JSON.stringify({ ...event, choices: [{ ...choice, delta, finish_reason: null }] })
}

/** @param request the JSON that was sent */
export const fold = (request: string): WireFold<ChatState> => {
  const names = namesIn(request)
  return {
    initial: { calls: [], finish: undefined, counted: false },
    step: (state, data) => {
      if (data.trim() === "[DONE]") return { state, pass: [...(last(state, true) ?? []), data], ended: true }
      const event = objectIn(data)
      // After the finish reason a broken event is as good as none.
      if (event === undefined) return { state, pass: state.finish === undefined ? [data] : [], ended: false }
      if (JsonValue.isObject(event.error) && state.finish !== undefined)
        return { state, pass: last(state, true) ?? [], ended: true }
      const [choice] = list(event.choices)
      if (!JsonValue.isObject(choice)) {
        const counted = state.counted || JsonValue.isObject(event.usage)
        return { state: { ...state, counted }, pass: [data], ended: false }
      }
      const pieces = JsonValue.isObject(choice.delta) ? list(choice.delta.tool_calls) : []
      const finish = said(choice.finish_reason)
      if (pieces.length === 0 && finish === undefined && choice.finish_reason !== "")
        return { state, pass: [data], ended: false }
      const calls = pieces.reduce<ReadonlyArray<CallPieces.PiecedCall>>(
        (calls, piece) => CallPieces.add(calls, pieceOf(piece), names),
        state.calls
      )
      return {
        state: { ...state, calls, finish: finish ?? state.finish },
        pass: [withoutCalls(event, choice)],
        ended: false
      }
    },
    end: (state) => last(state, state.counted)
  }
}
