/**
 * What one step sends: snapshot → visible → chosen → in order → the request. The reply and its calls are `Step`.
 */
import {
  Message,
  type Model,
  PromptSections,
  type RenderedSection,
  type SessionSummary,
  type SkillCatalog,
  type ToolGate,
  type ToolManager,
  type ToolSelector,
  type ToolServers,
  ToolTable,
  Transcript
} from "@cow/core"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as AgentLimits from "../AgentLimits.ts"
import * as RunLedger from "../run/RunLedger.ts"
import type { RunScene } from "../run/RunScene.ts"
import * as Compaction from "./Compaction.ts"
import * as ContextWindow from "./ContextWindow.ts"
import * as ReadSkills from "./ReadSkills.ts"
import * as RunSkills from "./RunSkills.ts"
import * as RunTools from "./RunTools.ts"
import * as SeenTools from "./SeenTools.ts"
import * as SentTools from "./SentTools.ts"
import * as ToolChoice from "./ToolChoice.ts"

export interface StepRequest {
  readonly table: ToolTable.ToolTable
  /** Names of the tools in the request, in its order. */
  readonly offered: ReadonlyArray<string>
  readonly request: Model.ModelRequest
  readonly selection: {
    readonly mode: "all" | "selected" | "fallback"
    readonly reason: string
    readonly added: ReadonlyArray<string>
  }
}

export interface StepOptions {
  /** False: the model must answer in text. */
  readonly mayCallTools: boolean
  /** The history must fit into this; the configured limit, or less after the provider refused. */
  readonly maxTokens: number
  /** The request must be estimated at less than this, or it is not sent: it was too long before. */
  readonly below?: number
  /** Part of this one request, never of the history. */
  readonly hint?: string
  /** True: a step that has begun asks the model once more; it is not counted again. */
  readonly again: boolean
}

/** Names of the MCP tools that the step before did not send. */
const addedIn = (now: SentTools.SentTools, before: SentTools.SentTools): ReadonlyArray<string> => {
  if (now.names === before.names) return []
  const old = new Set(before.names)
  return now.registered.flatMap(({ source, tool }) =>
    source._tag === "Mcp" && !old.has(tool.name) ? [tool.name] : []
  )
}

/** Neighbouring sections of the same stability make one part, so that the cached prefix ends where change begins. */
const toSystem = (sections: ReadonlyArray<RenderedSection>): ReadonlyArray<Model.SystemPart> => {
  const parts: Array<{ text: string; stable: boolean }> = []
  for (const { stable, text } of sections) {
    const last = parts.at(-1)
    if (last?.stable === stable) last.text += `\n\n${text}`
    else parts.push({ text, stable })
  }
  return parts
}

const withoutImages = (message: Message.Message): Message.Message => {
  if (message.role === "assistant") return message
  const replace = (part: Message.ImagePart) =>
    Message.text(`(an image, ${part.mediaType}, was left out: this model takes none)`)
  const parts = message.parts.map((part): Message.UserPart => {
    if (part.type === "image") return replace(part)
    if (part.type !== "tool_result") return part
    return { ...part, content: part.content.map((one) => (one.type === "image" ? replace(one) : one)) }
  })
  return { ...message, parts }
}

const withHint = (
  messages: ReadonlyArray<Message.Message>,
  hint: string | undefined
): ReadonlyArray<Message.Message> => {
  const last = messages.at(-1)
  if (hint === undefined) return messages
  if (last?.role !== "user") return [...messages, Message.userText(hint)]
  return [...messages.slice(0, -1), { ...last, parts: [...last.parts, Message.text(hint)] }]
}

/** The messages that fit; skills that were read stay in them. The catalogue is asked only when something was cut. */
const windowOn = Effect.fnUntraced(function* (
  scene: RunScene,
  table: ToolTable.ToolTable,
  messages: ReadonlyArray<Message.Message>,
  limits: ContextWindow.WindowLimits,
  overhead: number,
  summary: SessionSummary | null
) {
  const plain = ContextWindow.fit(messages, limits, overhead, summary)
  if (plain.afterTokens === plain.beforeTokens) return plain
  const cards = yield* RunSkills.cards(scene)
  const readers = table.tools.filter(({ tool }) => tool.role === "read-file")
  const readTools = new Set(readers.map(({ tool }) => tool.name))
  const skills = ReadSkills.find(messages, { cards, readTools, workspace: scene.request.workspace })
  return skills.length === 0 ? plain : ReadSkills.fit(messages, limits, overhead, skills, summary)
})

/**
 * The window, with a summary of what it drops. One that the provider makes smaller than the limit says is summed up in
 * its own words: the request is being answered already.
 */
const summedUp = Effect.fnUntraced(function* (
  scene: RunScene,
  table: ToolTable.ToolTable,
  messages: ReadonlyArray<Message.Message>,
  limits: ContextWindow.WindowLimits,
  overhead: number,
  again: boolean
) {
  const { messages: whole, summary } = yield* Ref.get(scene.ledger)
  // Summaries count the session's own messages.
  const known = messages === whole ? summary : null
  const window = yield* windowOn(scene, table, messages, limits, overhead, known)
  if (again || messages !== whole || window.droppedUpTo <= (known?.upTo ?? 0)) return window
  const next = yield* Compaction.make(scene, messages, window.droppedUpTo)
  const fitted = yield* windowOn(scene, table, messages, limits, overhead, next)
  return { ...fitted, compacted: true }
})

export type Requirements = SkillCatalog | ToolManager | ToolGate | ToolSelector | ToolServers | PromptSections

export const prepare = Effect.fn("StepRequest.prepare")(function* (scene: RunScene, options: StepOptions) {
  const { emit, ledger, request, seenTools, sessionId } = scene
  const table = yield* RunTools.table(scene)
  const visible = yield* RunTools.visible(scene, table)
  const seen = yield* seenTools.get(sessionId)
  const names = ToolTable.namesOf(visible)
  const changed = SeenTools.changes(seen.visible, names)
  if (changed !== null) yield* emit({ type: "tools_changed", ...changed })

  const { messages, tools: kept } = yield* Ref.get(ledger)
  const called = Transcript.calledTools(messages)
  const contextTokens = yield* AgentLimits.contextTokens
  const selection = yield* ToolChoice.select({
    sessionId,
    messages,
    visible,
    kept: new Set([...called, ...kept.chosen]),
    contextTokens
  })
  const before = SentTools.known(seen.sent, kept.sent)
  const sent = SentTools.next(before, selection.names, visible)
  const added = addedIn(sent, before)
  yield* seenTools.set(sessionId, { ...seen, sent, visible: names })
  yield* Ref.update(ledger, (now) => RunLedger.keepTools(now, sent.names, selection.chosen))

  const { permission, persona, workspace } = request
  const { render } = yield* PromptSections
  const system = toSystem(yield* render({ persona, permission, workspace, tools: sent.tools }))
  const overhead = ContextWindow.estimateText(system.map(({ text }) => text).join("")) + sent.tokens
  const limits = {
    maxTokens: options.maxTokens,
    maxTurns: yield* AgentLimits.contextTurns,
    maxEarlierResultChars: yield* AgentLimits.maxEarlierResultChars
  }
  const repaired = Transcript.repair(messages).messages
  const window = yield* summedUp(scene, table, repaired, limits, overhead, options.again)
  if (window.compacted && (yield* scene.tightened(window.messages.length)))
    yield* emit({
      type: "context_compacted",
      before_tokens: window.beforeTokens + overhead,
      after_tokens: window.afterTokens + overhead
    })
  const shown = request.model.takesImages ? window.messages : window.messages.map(withoutImages)
  const prepared: StepRequest = {
    table,
    offered: sent.names,
    selection: { mode: selection.mode, reason: selection.reason, added },
    request: {
      system,
      messages: withHint(shown, options.hint),
      tools: sent.definitions,
      toolChoice: options.mayCallTools ? "auto" : "none"
    }
  }
  return { ...prepared, tokens: window.afterTokens + overhead }
})
