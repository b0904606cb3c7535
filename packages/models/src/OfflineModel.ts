/**
 * `offline/cow`: the built-in rule-based model, for when there is no other. It works from the request alone and needs
 * no network; what it decides is `offline/Planner`, here it only becomes a stream of events.
 */
import { type Message, type Model, ModelNotFound, type ModelProvider, type Tool } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Match from "./offline/Match.ts"
import * as Planner from "./offline/Planner.ts"

/** A rough count: four characters make a token. */
const tokens = (chars: number): number => Math.ceil(chars / 4)

const callsBefore = (messages: ReadonlyArray<Message.Message>): number =>
  messages
    .flatMap(({ parts }) => parts as ReadonlyArray<Message.UserPart | Message.AssistantPart>)
    .filter((part) => part.type === "tool_call").length

const events = (request: Model.ModelRequest): ReadonlyArray<Model.ModelEvent> => {
  const plan = Planner.plan(request)
  const written = plan._tag === "Call" ? JSON.stringify(plan.input) : ""
  const usage = {
    inputTokens: tokens(JSON.stringify([request.system, request.messages, request.tools]).length),
    outputTokens: tokens(plan.text.length + written.length),
    cachedTokens: 0
  }
  // Line by line, as a real model would.
  const lines = plan.text.match(/[^\n]*\n+|[^\n]+/g) ?? []
  const said = lines.map((text): Model.ModelEvent => ({ _tag: "TextDelta", block: "text-0", text }))
  if (plan._tag === "Say") return [...said, { _tag: "Finish", reason: "stop", usage }]
  const id = `offline_${callsBefore(request.messages) + 1}`
  return [
    ...said,
    { _tag: "ToolCallStart", block: "call-0", id, name: plan.name },
    { _tag: "ToolCallDelta", block: "call-0", arguments: written },
    { _tag: "Finish", reason: "tool_calls", usage }
  ]
}

/** The model answers at once from the tools it is sent: a tool that comes later comes too late. */
const misses = (message: string, tools: ReadonlyArray<Tool.ToolDefinition>): boolean =>
  Match.calledName(message) !== undefined && Match.toolByName(message, tools) === undefined

export const model: Model.Model = {
  id: "offline/cow",
  takesImages: false,
  stream: (request) => Stream.suspend(() => Stream.fromIterable(events(request))),
  misses,
  summarises: false
}

export const provider: ModelProvider = {
  name: "offline",
  model: (name) =>
    name === "cow"
      ? Effect.succeed(model)
      : Effect.fail(
          new ModelNotFound({
            id: `offline/${name}`,
            message: `model "offline/${name}": the only offline model is offline/cow`
          })
        )
}
