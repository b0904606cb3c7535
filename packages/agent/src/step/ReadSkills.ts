/**
 * Skills whose text the model has got in this session, and keeping that text in requests whose history is cut: a skill
 * that was read is still to be followed when the turn in which it was read is gone. Pure.
 *
 * What is cut otherwise is `ContextWindow`; which skills there are, core's `SkillCatalog`.
 */
import { Excerpt, Message, type SessionSummary, type SkillCard } from "@cow/core"
import * as ContextWindow from "./ContextWindow.ts"

export interface ReadSkill {
  readonly name: string
  readonly path: string
  /** Of the call whose result is the text. */
  readonly callId: string
  readonly text: string
}

export interface ReadRequest {
  readonly cards: ReadonlyArray<SkillCard>
  /** Names of the tools that open files. */
  readonly readTools: ReadonlySet<string>
  readonly workspace: string
}

const textOf = (result: Message.ToolResultPart): string =>
  result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")

const pathOf = ({ input }: Message.ToolCallPart, workspace: string): string | undefined => {
  if (typeof input.path !== "string") return undefined
  const path = input.path.trim()
  return /^(?:[/\\]|[A-Za-z]:)/.test(path) ? path : `${workspace}/${path.replace(/^(?:\.\/)+/, "")}`
}

const isWhole = ({ input }: Message.ToolCallPart): boolean =>
  input.offset === undefined && input.limit === undefined

/** The skill whose text this result is: read by its path, or given to a call by its name. */
const skillOf = (
  call: Message.ToolCallPart,
  result: Message.ToolResultPart,
  { cards, readTools, workspace }: ReadRequest
): SkillCard | undefined => {
  if (readTools.has(call.name)) {
    const path = result.status === "ok" ? pathOf(call, workspace) : undefined
    return cards.find((card) => card.path === path)
  }
  const name = call.name.normalize("NFKC").trim()
  const card = cards.find((one) => one.available && one.name === name)
  return card !== undefined && result.status === "error" && textOf(result).includes(card.path)
    ? card
    : undefined
}

/** One a skill, in the order in which they were read last; a reading of a part never stands for an earlier whole. */
export const find = (
  messages: ReadonlyArray<Message.Message>,
  request: ReadRequest
): ReadonlyArray<ReadSkill> => {
  const calls = new Map(messages.flatMap(Message.toolCallsOf).map((call) => [call.id, call]))
  const found = new Map<string, ReadSkill>()
  const whole = new Set<string>()
  for (const result of messages.flatMap(Message.toolResultsOf)) {
    const call = calls.get(result.callId)
    const card = call === undefined ? undefined : skillOf(call, result, request)
    if (call === undefined || card === undefined || (whole.has(card.path) && !isWhole(call))) continue
    if (isWhole(call)) whole.add(card.path)
    found.delete(card.path)
    found.set(card.path, { name: card.name, path: card.path, callId: call.id, text: textOf(result) })
  }
  return [...found.values()]
}

/** Of the room for messages, at most so much is given to texts of skills that would be gone otherwise. */
export const maxShare = 0.25
/** Less of a text is of no use. In tokens. */
const minTokens = 200

const lost = (
  { messages }: ContextWindow.Window,
  skills: ReadonlyArray<ReadSkill>
): ReadonlyArray<ReadSkill> => {
  const results = new Map(messages.flatMap(Message.toolResultsOf).map((result) => [result.callId, result]))
  return skills.filter(({ callId, text }) => {
    const result = results.get(callId)
    return result === undefined || textOf(result).length < text.length
  })
}

const partOf = ({ name, path }: ReadSkill, text: string): Message.TextPart =>
  Message.text(`[The skill ${JSON.stringify(name)}, read before from ${path}; it still counts:\n${text}\n]`)

const tokensOf = ({ text }: Message.TextPart): number => ContextWindow.estimateText(text) + 4

/** The whole, or so much of it as fits; undefined when that is too little. */
const within = (skill: ReadSkill, tokens: number): Message.TextPart | undefined => {
  const whole = partOf(skill, skill.text)
  if (tokensOf(whole) <= tokens) return whole
  if (tokens < minTokens) return undefined
  const notice = "\n[… shortened; open the file again for the rest …]\n"
  for (let size = skill.text.length; size > notice.length; size = Math.floor(size * 0.9)) {
    const part = partOf(skill, Excerpt.middle(skill.text, size, notice))
    if (tokensOf(part) <= tokens) return part
  }
  return undefined
}

/**
 * The window on a history with the texts of these skills in it: where they were read, or, when that is gone or
 * shortened, before the first message that is kept. The newest go first, up to `maxShare`; the limits hold as without.
 */
export const fit = (
  messages: ReadonlyArray<Message.Message>,
  limits: ContextWindow.WindowLimits,
  overheadTokens: number,
  skills: ReadonlyArray<ReadSkill>,
  summary?: SessionSummary | null
): ContextWindow.Window => {
  const plain = ContextWindow.fit(messages, limits, overheadTokens, summary)
  if (lost(plain, skills).length === 0) return plain
  const room = limits.maxTokens - overheadTokens
  const all = skills.reduce((sum, skill) => sum + tokensOf(partOf(skill, skill.text)), 0)
  const reserve = Math.min(all, Math.floor(Math.max(0, room) * maxShare))
  const window = ContextWindow.fit(
    messages,
    { ...limits, maxTokens: limits.maxTokens - reserve },
    overheadTokens,
    summary
  )
  let left = Math.min(reserve, room - window.afterTokens)
  const parts: Array<Message.TextPart> = []
  for (const skill of [...lost(window, skills)].reverse()) {
    const part = within(skill, left)
    if (part === undefined) continue
    parts.unshift(part)
    left -= tokensOf(part)
  }
  const [first, ...rest] = window.messages
  if (parts.length === 0 || first?.role !== "user" || Message.toolResultsOf(first).length > 0) return plain
  const kept = [{ ...first, parts: [...parts, ...first.parts] }, ...rest]
  return {
    messages: kept,
    beforeTokens: plain.beforeTokens,
    afterTokens: ContextWindow.estimate(kept),
    droppedUpTo: window.droppedUpTo,
    compacted: plain.compacted || window.compacted
  }
}
