/**
 * Folds the parts of an AI SDK stream into core's events. Pure: a state and a part give the next state and steps.
 *
 * A call comes out whole, with its arguments as they were written, when its end or the reply's is seen: only then
 * is all that must be replayed with it known. Errors are decoded by whoever runs the fold (`SdkModel`).
 */
import type {
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata
} from "@ai-sdk/provider"
import type { Message, Model } from "@cow/core"
import { isUnknownEvent } from "./ErrorFacts.ts"
import * as RawUsage from "./RawUsage.ts"

export type ReplyStep =
  | { readonly _tag: "Event"; readonly event: Model.ModelEvent }
  /** The reply is void. */
  | { readonly _tag: "Failed"; readonly error: unknown }
  | { readonly _tag: "EndedEarly" }
  /** Something that nobody knows was left out. */
  | { readonly _tag: "Skipped"; readonly what: string }

interface OpenBlock {
  readonly block: string
  readonly providerData?: Message.ProviderData
}

interface OpenCall extends OpenBlock {
  readonly name: string
  readonly arguments: string
}

interface ReplyState {
  /** How many blocks there were: names them apart, for providers use an id again. */
  readonly count: number
  readonly open: ReadonlyMap<string, OpenBlock>
  readonly calls: ReadonlyMap<string, OpenCall>
}

export const initial: ReplyState = { count: 0, open: new Map(), calls: new Map() }

const merge = (before: Message.ProviderData | undefined, more: SharedV4ProviderMetadata | undefined) => {
  if (more === undefined) return before
  const merged: Record<string, unknown> = { ...before }
  for (const [provider, data] of Object.entries(more))
    merged[provider] = { ...(merged[provider] as object | undefined), ...data }
  return merged as Message.ProviderData
}

const data = (providerData: Message.ProviderData | undefined) =>
  providerData === undefined ? {} : { providerData }

const event = (event: Model.ModelEvent): ReplyStep => ({ _tag: "Event", event })

const usageOf = (usage: LanguageModelV4Usage): Model.Usage => ({
  inputTokens: usage.inputTokens.total ?? 0,
  outputTokens: usage.outputTokens.total ?? 0,
  cachedTokens: usage.inputTokens.cacheRead ?? 0
})

const callSteps = (id: string, call: OpenCall): ReadonlyArray<ReplyStep> => {
  const { block, name } = call
  const start = { _tag: "ToolCallStart", block, id, name, ...data(call.providerData) } as const
  return call.arguments === ""
    ? [event(start)]
    : [event(start), event({ _tag: "ToolCallDelta", block, arguments: call.arguments })]
}

const reasons = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter"
} as const

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>

const finishSteps = (state: ReplyState, part: Finish): ReadonlyArray<ReplyStep> => {
  const { unified, raw } = part.finishReason
  const used = event({ _tag: "Usage", usage: usageOf(part.usage) })
  const said = part.usage.inputTokens.total !== undefined ? [used] : []
  if (unified === "interrupted" || (raw === undefined && (unified === "error" || unified === "other")))
    return [...said, { _tag: "EndedEarly" }]
  if (unified === "error") return [...said, { _tag: "Failed", error: `the reply ended with ${raw}` }]
  const reason = unified === "other" ? "other" : reasons[unified]
  const calls = [...state.calls].flatMap(([id, call]) => callSteps(id, call))
  return [...calls, event({ _tag: "Finish", reason, usage: usageOf(part.usage) })]
}

const withOpen = (state: ReplyState, key: string, block: OpenBlock): ReplyState => ({
  ...state,
  open: new Map(state.open).set(key, block)
})

const withCall = (state: ReplyState, id: string, call: OpenCall): ReplyState => ({
  ...state,
  calls: new Map(state.calls).set(id, call)
})

const without = <A>(map: ReadonlyMap<string, A>, key: string): ReadonlyMap<string, A> => {
  const copy = new Map(map)
  copy.delete(key)
  return copy
}

type Stepped = readonly [ReplyState, ReadonlyArray<ReplyStep>]

const opened = (state: ReplyState, kind: string, id: string, more: SharedV4ProviderMetadata | undefined) => {
  const block = { block: `${kind}-${state.count}`, ...data(merge(undefined, more)) }
  return [withOpen({ ...state, count: state.count + 1 }, `${kind}:${id}`, block), block] as const
}

type Reasoning = Extract<LanguageModelV4StreamPart, { type: `reasoning-${string}` }>

const reasoning = (state: ReplyState, part: Exclude<Reasoning, { type: "reasoning-file" }>): Stepped => {
  const key = `reasoning:${part.id}`
  const before = state.open.get(key)
  if (part.type === "reasoning-start") {
    const [next, { block, providerData }] = opened(state, "reasoning", part.id, part.providerMetadata)
    if (providerData === undefined) return [next, []]
    return [next, [event({ _tag: "ReasoningDelta", block, text: "", providerData })]]
  }
  if (before === undefined)
    return [state, [{ _tag: "Skipped", what: `${part.type} of a part never started` }]]
  const { block } = before
  const providerData = merge(before.providerData, part.providerMetadata)
  const text = part.type === "reasoning-delta" ? part.delta : ""
  const more = part.providerMetadata === undefined ? {} : data(providerData)
  const steps =
    text === "" && part.providerMetadata === undefined
      ? []
      : [event({ _tag: "ReasoningDelta", block, text, ...more })]
  if (part.type === "reasoning-end") return [{ ...state, open: without(state.open, key) }, steps]
  return [withOpen(state, key, { block, ...data(providerData) }), steps]
}

export const step = (state: ReplyState, part: LanguageModelV4StreamPart): Stepped => {
  switch (part.type) {
    case "text-start":
      return [opened(state, "text", part.id, undefined)[0], []]
    case "text-delta": {
      const before = state.open.get(`text:${part.id}`)
      if (before === undefined) return [state, [{ _tag: "Skipped", what: "text of a part never started" }]]
      if (part.delta === "") return [state, []]
      return [state, [event({ _tag: "TextDelta", block: before.block, text: part.delta })]]
    }
    case "text-end":
      return [{ ...state, open: without(state.open, `text:${part.id}`) }, []]
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end":
      return reasoning(state, part)
    case "tool-input-start": {
      const block = `call-${state.count}`
      const call = {
        block,
        name: part.toolName,
        arguments: "",
        ...data(merge(undefined, part.providerMetadata))
      }
      return [withCall({ ...state, count: state.count + 1 }, part.id, call), []]
    }
    case "tool-input-delta": {
      const call = state.calls.get(part.id)
      if (call === undefined) return [state, [{ _tag: "Skipped", what: "arguments of a call never started" }]]
      return [withCall(state, part.id, { ...call, arguments: call.arguments + part.delta }), []]
    }
    case "tool-call": {
      const known = state.calls.get(part.toolCallId)
      const block = known?.block ?? `call-${state.count}`
      // The SDK writes `{}` for a call without arguments; whether that is one is decided by the finish reason.
      const written = known?.arguments || (part.input === "{}" ? "" : part.input)
      const providerData = merge(known?.providerData, part.providerMetadata)
      const call = { block, name: part.toolName, arguments: written, ...data(providerData) }
      const next = { ...state, count: state.count + 1, calls: without(state.calls, part.toolCallId) }
      return [next, callSteps(part.toolCallId, call)]
    }
    case "raw": {
      const usage = RawUsage.read(part.rawValue)
      return [state, usage === undefined ? [] : [event({ _tag: "Usage", usage })]]
    }
    case "error":
      return isUnknownEvent(part.error)
        ? [state, [{ _tag: "Skipped", what: "a stream event of an unknown shape" }]]
        : [state, [{ _tag: "Failed", error: part.error }]]
    case "finish":
      return [state, finishSteps(state, part)]
    default:
      return [state, []]
  }
}
