/**
 * Folds a model's stream of events into an assistant message and its calls. Pure: a state and an event give the
 * next state and what a listener is told. Sending and trying again is `ModelReply`.
 */
import { Excerpt, type Message, Model } from "@cow/core"
import * as ToolArguments from "../call/ToolArguments.ts"
import * as ThinkTags from "./ThinkTags.ts"

type Block =
  | {
      readonly kind: "text" | "reasoning"
      readonly text: string
      readonly providerData?: Message.ProviderData
    }
  | {
      readonly kind: "call"
      readonly id: string
      readonly name: string
      readonly text: string
      readonly providerData?: Message.ProviderData
    }

export interface FoldState {
  /** In the order of their first event. */
  readonly blocks: ReadonlyMap<string, Block>
  readonly think: ThinkTags.ThinkState
  /** The block that the latest text belongs to. */
  readonly textBlock: string
  /** The first half of a character whose second half has not come yet. */
  readonly half: { readonly text: string; readonly reasoning: string }
  /** What the provider said was used, before the finish. */
  readonly reported: Model.Usage
  readonly finish: { readonly reason: Model.FinishReason; readonly usage: Model.Usage } | null
}

export const initial: FoldState = {
  blocks: new Map(),
  think: ThinkTags.initial,
  textBlock: "",
  half: { text: "", reasoning: "" },
  reported: Model.noUsage,
  finish: null
}

/** What a listener is told at once. */
export interface Delta {
  readonly type: "text_delta" | "reasoning_delta"
  readonly text: string
}

/** One call of a reply. `fault`: why it cannot run; its stored input is then `{}`. */
export interface RepliedCall {
  readonly part: Message.ToolCallPart
  readonly arguments: ToolArguments.Arguments
}

export interface Reply {
  readonly message: Message.AssistantMessage
  readonly calls: ReadonlyArray<RepliedCall>
  /** The text parts, joined. */
  readonly text: string
  readonly reason: Model.FinishReason
  readonly usage: Model.Usage
}

const set = (state: FoldState, key: string, block: Block): FoldState => ({
  ...state,
  blocks: new Map(state.blocks).set(key, block)
})

const append = (state: FoldState, kind: "text" | "reasoning", key: string, text: string): FoldState => {
  const before = state.blocks.get(key)
  const block = before?.kind === kind ? before : { kind, text: "" }
  return set(state, key, { ...block, text: block.text + text })
}

const segments = (state: FoldState, block: string, found: ReadonlyArray<ThinkTags.Segment>) => {
  let next = state
  for (const { kind, text } of found) next = append(next, kind, `${kind}:${block}`, text)
  const deltas = found.map(({ kind, text }): Delta => ({ type: `${kind}_delta`, text }))
  return [next, deltas] as const
}

/** A piece of text made whole: half a character at its end is held back for the next piece of its kind. */
const whole = (state: FoldState, kind: "text" | "reasoning", piece: string): readonly [FoldState, string] => {
  const before = state.half[kind]
  const text = before + piece
  const half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : ""
  const next = half === before ? state : { ...state, half: { ...state.half, [kind]: half } }
  return [next, Excerpt.wellFormed(text.slice(0, text.length - half.length))]
}

export const step = (
  state: FoldState,
  event: Model.ModelEvent
): readonly [FoldState, ReadonlyArray<Delta>] => {
  switch (event._tag) {
    case "TextDelta": {
      const [next, text] = whole(state, "text", event.text)
      const [think, found] = ThinkTags.push(state.think, text)
      return segments({ ...next, think, textBlock: event.block }, event.block, found)
    }
    case "ReasoningDelta": {
      const key = `reasoning:${event.block}`
      const [next, text] = whole(state, "reasoning", event.text)
      const before = state.blocks.get(key)
      const known = before?.kind === "reasoning" ? before : { kind: "reasoning" as const, text: "" }
      const providerData = { ...known.providerData, ...event.providerData }
      const block = {
        ...known,
        text: known.text + text,
        ...(Object.keys(providerData).length === 0 ? {} : { providerData })
      }
      const deltas: ReadonlyArray<Delta> = text === "" ? [] : [{ type: "reasoning_delta", text }]
      return [set(next, key, block), deltas]
    }
    case "ToolCallStart": {
      const { block, id, name, providerData } = event
      const call = {
        kind: "call" as const,
        id: Excerpt.wellFormed(id),
        name: Excerpt.wellFormed(name),
        text: "",
        ...(providerData === undefined ? {} : { providerData })
      }
      return [set(state, `call:${block}`, call), []]
    }
    case "ToolCallDelta": {
      const key = `call:${event.block}`
      const call = state.blocks.get(key)
      if (call?.kind !== "call") return [state, []]
      return [set(state, key, { ...call, text: call.text + event.arguments }), []]
    }
    case "Usage":
      return [{ ...state, reported: event.usage }, []]
    case "Finish": {
      const [think, found] = ThinkTags.push(state.think, Excerpt.wellFormed(state.half.text))
      const rest = [...found, ...ThinkTags.end(think)]
      const [next, deltas] = segments(state, state.textBlock, rest)
      return [
        {
          ...next,
          think: ThinkTags.initial,
          half: initial.half,
          finish: { reason: event.reason, usage: event.usage }
        },
        deltas
      ]
    }
  }
}

/** An id that no other call has: the model's own, or that with a suffix, or a made one. */
const uniqueId = (id: string, taken: Set<string>): string => {
  let unique = id
  for (let n = 2; unique === "" || taken.has(unique); n++) unique = `${id || "call"}_${n}`
  taken.add(unique)
  return unique
}

/** The text and thinking so far, without calls: what is kept of a reply that was cancelled in the middle. */
export const partial = (state: FoldState): Message.AssistantMessage => {
  const parts: Array<Message.AssistantPart> = []
  for (const block of state.blocks.values())
    if (block.kind === "text" && block.text.trim() !== "") parts.push({ type: "text", text: block.text })
  return { role: "assistant", parts }
}

/**
 * The whole reply. Null when the stream ended without a finish: that is no reply.
 *
 * @param taken ids of the calls that the session holds already
 */
export const reply = (state: FoldState, taken: Iterable<string>): Reply | null => {
  if (state.finish === null) return null
  const { reason, usage } = state.finish
  const ids = new Set(taken)
  const calls: Array<RepliedCall> = []
  const parts: Array<Message.AssistantPart> = []
  const texts: Array<string> = []
  for (const block of state.blocks.values()) {
    const data = block.providerData === undefined ? {} : { providerData: block.providerData }
    if (block.kind === "call") {
      const parsed = ToolArguments.parse(block.text, reason === "length")
      const input = parsed._tag === "Read" ? parsed.input : {}
      const part = {
        type: "tool_call",
        id: uniqueId(block.id, ids),
        name: block.name,
        input,
        ...data
      } as const
      calls.push({ part, arguments: parsed })
      parts.push(part)
    } else if (block.kind === "text") {
      if (block.text === "") continue
      texts.push(block.text)
      parts.push({ type: "text", text: block.text })
    } else if (block.text !== "" || block.providerData !== undefined)
      parts.push({ type: "reasoning", text: block.text, ...data })
  }
  return { message: { role: "assistant", parts: ordered(parts) }, calls, text: texts.join(""), reason, usage }
}

/** Text before calls, as providers want it; thinking stays where it came. */
const ordered = (parts: ReadonlyArray<Message.AssistantPart>): ReadonlyArray<Message.AssistantPart> => {
  const first = parts.findIndex((part) => part.type === "tool_call")
  if (first < 0 || parts.slice(first).every((part) => part.type !== "text")) return parts
  return [
    ...parts.filter((part) => part.type !== "tool_call"),
    ...parts.filter((part) => part.type === "tool_call")
  ]
}

export const isEmpty = (reply: Reply): boolean => reply.calls.length === 0 && reply.text.trim() === ""

/** Tokens of an attempt, also of one that failed after it reported them. */
export const usageOf = (state: FoldState): Model.Usage => state.finish?.usage ?? state.reported
