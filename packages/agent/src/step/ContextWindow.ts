/**
 * What of a session's history goes into one request. The stored session keeps everything; this is a view of it,
 * cut only before a user's text, so that no result is ever without its call. Pure.
 *
 * Earlier turns are dropped by halves, then the last earlier turn is reduced to its texts, then the older results
 * of the current turn are left out, then its older steps. The newest user message always stays.
 */
import { Excerpt, Message, type SessionSummary } from "@cow/core"

export interface WindowLimits {
  /** For messages, system prompt and tool schemas together. */
  readonly maxTokens: number
  readonly maxTurns: number
  readonly maxEarlierResultChars: number
}

export interface Window {
  readonly messages: ReadonlyArray<Message.Message>
  /** Of messages alone. */
  readonly beforeTokens: number
  readonly afterTokens: number
  /** How many messages from the first on are not in it, but in a summary before the first. */
  readonly droppedUpTo: number
  /** True when something was dropped or shortened beyond the cap on earlier results and what the summary stands for. */
  readonly compacted: boolean
}

/** Four bytes of UTF-8 are about a token. */
export const estimateText = (text: string): number => {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1
  }
  return Math.ceil(bytes / 4)
}

const imageTokens = 1_500

const estimatePart = (part: Message.UserPart | Message.AssistantPart): number => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return estimateText(part.text) + 4
    case "image":
      return imageTokens
    case "tool_call":
      return estimateText(part.name) + estimateText(JSON.stringify(part.input)) + 12
    case "tool_result":
      return part.content.reduce((sum, one) => sum + estimatePart(one), 12)
  }
}

/** A message never changes, and a history is weighed at every step. */
const weights = new WeakMap<Message.Message, number>()

const estimateMessage = (message: Message.Message): number => {
  const known = weights.get(message)
  if (known !== undefined) return known
  const parts: ReadonlyArray<Message.UserPart | Message.AssistantPart> = message.parts
  const weight = parts.reduce((all, part) => all + estimatePart(part), 4)
  weights.set(message, weight)
  return weight
}

export const estimate = (messages: ReadonlyArray<Message.Message>): number =>
  messages.reduce((sum, message) => sum + estimateMessage(message), 0)

/** A user's message with all that answers it. */
type Turn = ReadonlyArray<Message.Message>

const opensTurn = (message: Message.Message): boolean =>
  message.role === "user" && !message.parts.some((part) => part.type === "tool_result")

export const turns = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<Turn> => {
  const out: Array<Array<Message.Message>> = []
  for (const message of messages)
    if (out.length === 0 || opensTurn(message)) out.push([message])
    else out.at(-1)?.push(message)
  return out
}

const capResult = (result: Message.ToolResultPart, size: number): Message.ToolResultPart => {
  const chars = result.content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0)
  if (chars <= size) return result
  const text = result.content.map((part) => (part.type === "text" ? part.text : "(an image)")).join("\n")
  const notice = `\n[… ${chars} characters, shortened to ${size} …]\n`
  return { ...result, content: [Message.text(Excerpt.middle(text, size, notice))] }
}

/** What a message was cut to before, by size: the same cut is made at every step. */
const cuts = new WeakMap<Message.Message, Map<number, Message.Message>>()

/** The message with its results cut to this size; the very message where none is longer. */
const capMessage = (message: Message.Message, size: number): Message.Message => {
  if (message.role === "assistant") return message
  const known = cuts.get(message)
  const cut = known?.get(size)
  if (cut !== undefined) return cut
  const parts = message.parts.map((part) => (part.type === "tool_result" ? capResult(part, size) : part))
  const made = parts.some((part, at) => part !== message.parts[at]) ? { ...message, parts } : message
  cuts.set(message, (known ?? new Map()).set(size, made))
  return made
}

const capTurn = (turn: Turn, size: number): Turn => turn.map((message) => capMessage(message, size))

/** The texts of a turn: calls, results and thinking left out. */
const textsOf = (turn: Turn): ReadonlyArray<Message.Message> =>
  turn.flatMap((message): ReadonlyArray<Message.Message> => {
    const text = Message.textOf(message).trim()
    if (text === "") return []
    return [message.role === "user" ? Message.userText(text) : Message.assistantText(text)]
  })

const line = (text: string): string => Excerpt.head(text.replace(/\s+/g, " ").trim(), 200)

/**
 * What was dropped, in a few lines: what was asked and answered, the newest of it.
 *
 * @param before what stands for messages before these
 */
export const extract = (dropped: ReadonlyArray<Message.Message>, before?: string): string => {
  const exchanges = turns(dropped)
  const lines = exchanges.slice(-8).map((turn) => {
    const [asked, ...rest] = textsOf(turn)
    const answer = rest.findLast((message) => message.role === "assistant")
    const said = answer === undefined ? "" : ` — answered: ${line(Message.textOf(answer))}`
    return `- asked: ${asked === undefined ? "(no text)" : line(Message.textOf(asked))}${said}`
  })
  const more = exchanges.length - lines.length
  const earlier = [
    ...(before === undefined ? [] : [Excerpt.head(before, maxBeforeChars)]),
    ...(more > 0 ? [`${more} exchanges, and:`] : [])
  ]
  return [...earlier, ...lines].join("\n")
}

/** Of an older summary inside a newer one that is no model's. */
const maxBeforeChars = 2_000

const withSummary = (
  summary: string | undefined,
  kept: ReadonlyArray<Message.Message>
): ReadonlyArray<Message.Message> => {
  const [first, ...rest] = kept
  if (summary === undefined || first?.role !== "user") return kept
  const part = Message.text(`[Earlier in this conversation, shortened:\n${summary}\n]`)
  return [{ ...first, parts: [part, ...first.parts] }, ...rest]
}

/** Older results of the current turn become notes, oldest first, then its older steps go, until it fits. */
const shrinkCurrent = (turn: Turn, room: number): Turn => {
  const cut = [...turn]
  let weight = estimate(turn)
  for (let at = 0; at < cut.length - 1 && weight > room; at++) {
    const message = cut[at] as Message.Message
    const shorter = capMessage(message, 200)
    weight += estimateMessage(shorter) - estimateMessage(message)
    cut[at] = shorter
  }
  // Steps stand in pairs behind the user's message: an assistant message and its results.
  let from = 1
  for (; cut.length - from > 2 && weight > room; from += 2) weight -= estimate(cut.slice(from, from + 2))
  let now: Turn = from === 1 ? cut : [...cut.slice(0, 1), ...cut.slice(from)]
  for (let size = 20_000; size >= 500 && estimate(now) > room; size = Math.floor(size / 2))
    now = capTurn(now, size)
  return now
}

/** A summary that still stands for a beginning of this history. */
const holding = (messages: ReadonlyArray<Message.Message>, summary: SessionSummary | null | undefined) => {
  const next = summary === null || summary === undefined ? undefined : messages[summary.upTo]
  return next !== undefined && opensTurn(next) ? (summary ?? undefined) : undefined
}

/**
 * The messages of one request.
 *
 * @param overheadTokens of the system prompt and the tool schemas
 * @param summary of a beginning: it stands for that, and what comes behind is fitted
 */
export const fit = (
  messages: ReadonlyArray<Message.Message>,
  limits: WindowLimits,
  overheadTokens: number,
  summary?: SessionSummary | null
): Window => {
  const room = limits.maxTokens - overheadTokens
  const known = holding(messages, summary)
  const from = known?.upTo ?? 0
  const all = turns(messages.slice(from))
  const current = all.at(-1) ?? []
  let earlier: ReadonlyArray<Turn> = all
    .slice(0, -1)
    .map((turn) => capTurn(turn, limits.maxEarlierResultChars))
  const beforeTokens = estimate(messages)
  const dropped: Array<Turn> = []
  const compose = (now: Turn) =>
    withSummary(dropped.length === 0 ? known?.text : extract(dropped.flat(), known?.text), [
      ...earlier.flat(),
      ...now
    ])
  const fits = (now: Turn) => estimate(compose(now)) <= room
  /** Of everything but the current turn. */
  const around = () => estimate(compose(current)) - estimate(current)
  const halve = () => {
    const keep = Math.ceil((earlier.length + 1) / 2) - 1
    dropped.push(...earlier.slice(0, earlier.length - keep))
    earlier = earlier.slice(earlier.length - keep)
  }
  while (all.length > limits.maxTurns && earlier.length + 1 > limits.maxTurns) halve()
  while (earlier.length > 1 && !fits(current)) halve()
  let reduced = false
  if (earlier.length === 1 && !fits(current)) {
    earlier = earlier.map(textsOf)
    reduced = true
  }
  if (earlier.length === 1 && !fits(current)) {
    dropped.push(...earlier)
    earlier = []
  }
  const shrunk = fits(current) ? current : shrinkCurrent(current, room - around())
  const out = compose(shrunk)
  return {
    messages: out,
    beforeTokens,
    afterTokens: estimate(out),
    droppedUpTo: from + dropped.reduce((sum, turn) => sum + turn.length, 0),
    compacted: dropped.length > 0 || reduced || shrunk !== current
  }
}
