/**
 * The offline model's one decision: given a request, say something or call one tool. Pure, and it cannot loop: at most
 * `maxCalls` calls answer one message, and never the same call twice.
 */
import { Message, type Model, type Tool } from "@cow/core"
import * as ArgumentFill from "./ArgumentFill.ts"
import * as Clues from "./Clues.ts"
import * as InputSchema from "./InputSchema.ts"
import * as Match from "./Match.ts"
import * as Report from "./Report.ts"
import * as SkillBlock from "./SkillBlock.ts"

export type Plan =
  | { readonly _tag: "Say"; readonly text: string }
  | {
      readonly _tag: "Call"
      readonly text: string
      readonly name: string
      readonly input: Message.JsonObject
    }

/** A skill, then the tool that the message also asks for. */
const maxCalls = 2

interface Turn {
  readonly message: string
  readonly calls: ReadonlyArray<Message.ToolCallPart>
  readonly results: ReadonlyArray<Message.ToolResultPart>
  /** The tool that the last answer asked an argument for, and what was said before. */
  readonly pending: { readonly tool: string; readonly message: string } | undefined
}

const isSaid = (message: Message.Message | undefined): boolean =>
  message?.role === "user" && Message.textOf(message).trim() !== ""

/** The user's last words and what was done about them. */
const turnOf = ({ messages, toolChoice }: Model.ModelRequest): Turn => {
  let start = messages.findLastIndex(isSaid)
  // A request for a last answer stands after the results; the words it is about stand before the calls.
  const asksToEnd = toolChoice === "none" && start === messages.length - 1
  if (
    asksToEnd &&
    start > 0 &&
    messages.slice(Math.max(0, start - 1)).some((one) => Message.toolResultsOf(one).length > 0)
  ) {
    const before = messages.slice(0, start).findLastIndex(isSaid)
    if (before >= 0) start = before
  }
  const said = messages[start]
  const after = messages.slice(start + 1)
  const answer = messages[start - 1]
  const question = answer?.role === "assistant" ? Report.askedTool(Message.textOf(answer)) : undefined
  const earlier = messages.slice(0, Math.max(0, start)).findLast(isSaid)
  return {
    message: said === undefined ? "" : Message.textOf(said).trim(),
    calls: after.flatMap(Message.toolCallsOf),
    results: after.flatMap(Message.toolResultsOf),
    pending:
      question === undefined || earlier === undefined
        ? undefined
        : { tool: question, message: Message.textOf(earlier).trim() }
  }
}

const say = (text: string): Plan => ({ _tag: "Say", text })

const call = (tool: Tool.ToolDefinition, clues: Clues.Clues): Plan => {
  const filled = ArgumentFill.fill(tool, clues)
  return filled._tag === "Filled"
    ? { _tag: "Call", text: "", name: tool.name, input: filled.input }
    : say(Report.ask(tool.name, filled.properties))
}

const readSkill = (skill: SkillBlock.OfferedSkill, reader: Tool.ToolDefinition): Plan => {
  const path = InputSchema.properties(reader.inputSchema).find(InputSchema.isPath)?.name ?? "path"
  return { _tag: "Call", text: "", name: reader.name, input: { [path]: skill.location } }
}

const asksSkills =
  /\b(which|what|list|show|any|have|is there|are there)\b.{0,40}\bskills?\b(?! to\b)|\bskills\b.{0,30}\b(have|available|know|got)\b|(哪些|什么|列出).{0,6}技能/i
const asksTools =
  /\b(which|what|list|show|any)\b.{0,40}\btools\b|\btools\b.{0,30}\b(have|available|got)\b|(哪些|什么|列出).{0,6}工具/i

const keyOf = (name: string, input: unknown): string => JSON.stringify([name, input])

/** What the words ask for, with no look at what was done. `skills`: those that may still be read. */
const intend = (
  message: string,
  tools: ReadonlyArray<Tool.ToolDefinition>,
  offer: SkillBlock.SkillOffer,
  skills: ReadonlyArray<SkillBlock.OfferedSkill>
): Plan => {
  const { reader } = offer
  const clues = Clues.find(message)
  const named = reader === undefined ? undefined : Match.skillByName(message, skills)
  if (named !== undefined && reader !== undefined) return readSkill(named, reader)
  const tool = Match.toolByName(message, tools) ?? Match.toolByHabit(message, clues, tools)
  if (tool !== undefined) return call(tool, clues)
  const missing = Match.calledName(message)
  if (missing !== undefined) return say(Report.noTool(missing, tools))
  const byTool = Match.byWords(message, tools)
  const bySkill = reader === undefined ? undefined : Match.byWords(message, skills)
  if (bySkill !== undefined && reader !== undefined && bySkill.score > (byTool?.score ?? 0))
    return readSkill(bySkill.value, reader)
  if (byTool !== undefined) return call(byTool.value, clues)
  return say(Report.introduction(tools.length, offer.available.length))
}

/** After a skill was read: the tool its message also asks for, if any and not done yet. */
const goOn = (turn: Turn, request: Model.ModelRequest, read: SkillBlock.OfferedSkill): Plan | undefined => {
  const rest = turn.message.replace(new RegExp(read.name.replace(/\W/g, "\\$&"), "gi"), () => " ")
  const clues = Clues.find(rest)
  const tool = Match.toolByName(rest, request.tools) ?? Match.toolByHabit(rest, clues, request.tools)
  if (tool === undefined) return undefined
  const plan = call(tool, clues)
  const isNew =
    plan._tag === "Call" &&
    !turn.calls.some((one) => keyOf(one.name, one.input) === keyOf(plan.name, plan.input))
  return isNew ? plan : undefined
}

const afterResults = (turn: Turn, request: Model.ModelRequest, offer: SkillBlock.SkillOffer): Plan => {
  const last = turn.results.at(-1)
  const made = turn.calls.find((one) => one.id === last?.callId)
  const read = offer.available.find(
    (skill) => made?.name === offer.reader?.name && Object.values(made?.input ?? {}).includes(skill.location)
  )
  if (last === undefined || last.status !== "ok" || read === undefined)
    return say(Report.results(turn.results.slice(-1)))
  const told = Report.skill(read.name, Message.textOf({ role: "user", parts: last.content }))
  const next =
    request.toolChoice === "none" || turn.calls.length >= maxCalls ? undefined : goOn(turn, request, read)
  return next?._tag === "Call" ? { ...next, text: told } : say(told)
}

export const plan = (request: Model.ModelRequest): Plan => {
  const turn = turnOf(request)
  const offer = SkillBlock.find(request)
  if (turn.results.length > 0) return afterResults(turn, request, offer)
  if (asksSkills.test(turn.message)) return say(Report.skills(offer))
  if (asksTools.test(turn.message)) return say(Report.tools(request.tools))
  if (request.toolChoice === "none" || turn.message === "")
    return say(Report.introduction(request.tools.length, offer.available.length))
  const pending = request.tools.find(({ name }) => name === turn.pending?.tool)
  const words = `${turn.pending?.message ?? ""}\n${turn.message}`
  if (pending !== undefined && Match.toolByName(turn.message, request.tools) === undefined) {
    const filled = call(pending, Clues.find(words))
    if (filled._tag === "Call") return filled
  }
  return intend(turn.message, request.tools, offer, offer.available)
}
