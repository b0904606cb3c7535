/**
 * Rules over a list of messages. Every tool call has exactly one result, in the very next user message, in the
 * order of the calls; nothing else holds a result; the first message is a user's.
 *
 * Pure. Trimming to a size is the agent's context window, not here.
 */
import {
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  type ToolResultPart,
  text,
  toolCallsOf,
  toolResultsOf,
  type UserMessage
} from "./Message.ts"

export interface Repaired {
  readonly messages: ReadonlyArray<Message>
  /** How many calls were answered, results removed or moved, and empty messages dropped. 0: nothing to mend. */
  readonly changes: number
}

/** The answer of a call that nobody answered, as after a crash in the middle of a tool. */
export const interruptedResult = (call: ToolCallPart): ToolResultPart => ({
  type: "tool_result",
  callId: call.id,
  name: call.name,
  status: "cancelled",
  content: [text("The call was interrupted before it gave a result. Its outcome is unknown.")]
})

/** The calls of the last assistant message that have no result yet. */
export const openCalls = (messages: ReadonlyArray<Message>): ReadonlyArray<ToolCallPart> => {
  const at = messages.findLastIndex((message) => message.role === "assistant")
  if (at < 0) return []
  const answered = new Set(
    messages.slice(at + 1).flatMap((message) => toolResultsOf(message).map((r) => r.callId))
  )
  return toolCallsOf(messages[at] as Message).filter((call) => !answered.has(call.id))
}

/** A call that waits for its result, and the id it had before ids were made unique. */
interface OpenCall {
  readonly call: ToolCallPart
  readonly givenId: string
}

/** A copy in which no call has an id that was seen before: a later one gets a suffix. */
const withUniqueIds = (
  message: AssistantMessage,
  seen: Set<string>
): { message: AssistantMessage; open: ReadonlyArray<OpenCall>; changes: number } => {
  const open: Array<OpenCall> = []
  let changes = 0
  const parts = message.parts.map((part) => {
    if (part.type !== "tool_call") return part
    let id = part.id
    for (let n = 2; id === "" || seen.has(id); n++) id = `${part.id || "call"}_${n}`
    seen.add(id)
    const call = id === part.id ? part : { ...part, id }
    if (call !== part) changes++
    open.push({ call, givenId: part.id })
    return call
  })
  return { message: changes === 0 ? message : { ...message, parts }, open, changes }
}

/** The results of these calls, each taken once and under its call's id. */
const answers = (
  open: ReadonlyArray<OpenCall>,
  block: ReadonlyArray<UserMessage>
): ReadonlyArray<ToolResultPart> => {
  const found = block.flatMap(toolResultsOf)
  const taken = new Set<ToolResultPart>()
  const take = (id: string) => {
    const result = found.find((one) => one.callId === id && !taken.has(one))
    if (result !== undefined) taken.add(result)
    return result
  }
  // A call that kept its id goes before one that had to change it.
  const byId = open.map(({ call }) => take(call.id))
  return open.map(({ call, givenId }, at) => {
    const result = byId[at] ?? take(givenId)
    if (result === undefined) return interruptedResult(call)
    return result.callId === call.id ? result : { ...result, callId: call.id }
  })
}

const sameOrder = (left: ReadonlyArray<unknown>, right: ReadonlyArray<unknown>): boolean =>
  left.length === right.length && left.every((one, at) => one === right[at])

/**
 * The same conversation with every call answered once and every orphan gone.
 *
 * Idempotent; a valid transcript comes back as it is, with 0 changes. Texts are never removed. A result counts
 * for a call only when it stands after the call and before the next assistant message; of several the first wins.
 */
export const repair = (messages: ReadonlyArray<Message>): Repaired => {
  const out: Array<Message> = []
  const seen = new Set<string>()
  let changes = 0
  let open: ReadonlyArray<OpenCall> = []

  const lead = (block: ReadonlyArray<UserMessage>): void => {
    const wanted = answers(open, block)
    const first = block[0]
    if (
      first !== undefined &&
      open.length > 0 &&
      sameOrder(toolResultsOf(first), wanted) &&
      leadsWithResults(first)
    ) {
      out.push(first)
      block = block.slice(1)
    } else if (open.length > 0) {
      // The results go in front of what the block's first message says.
      const texts = first === undefined ? [] : first.parts.filter((part) => part.type !== "tool_result")
      out.push({ role: "user", parts: [...wanted, ...texts] })
      changes++
      block = block.slice(1)
    }
    for (const message of block) {
      const parts = message.parts.filter((part) => part.type !== "tool_result")
      if (parts.length < message.parts.length || parts.length === 0) changes++
      if (parts.length > 0) out.push(parts.length === message.parts.length ? message : { ...message, parts })
    }
    open = []
  }

  let block: Array<UserMessage> = []
  for (const message of messages) {
    if (message.role === "user") {
      block.push(message)
      continue
    }
    if (message.parts.length === 0) {
      changes++
      continue
    }
    lead(block)
    block = []
    if (out.length === 0) {
      // A conversation starts with a user's words.
      out.push({ role: "user", parts: [text("(the start of the conversation is missing)")] })
      changes++
    }
    const unique = withUniqueIds(message, seen)
    changes += unique.changes
    out.push(unique.message)
    open = unique.open
  }
  lead(block)
  return { messages: changes === 0 ? messages : out, changes }
}

const leadsWithResults = (message: UserMessage): boolean => {
  const last = message.parts.findLastIndex((part) => part.type === "tool_result")
  return message.parts.slice(0, last + 1).every((part) => part.type === "tool_result")
}

/** True when `repair` has nothing to do. */
export const isValid = (messages: ReadonlyArray<Message>): boolean => repair(messages).changes === 0

/** Names of all tools that the history has called, in the order of their first call. */
export const calledTools = (messages: ReadonlyArray<Message>): ReadonlyArray<string> => [
  ...new Set(messages.flatMap((message) => toolCallsOf(message).map((call) => call.name)))
]
