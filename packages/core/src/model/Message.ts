/**
 * Messages and their parts, as a session stores them and a model receives them.
 *
 * The results of a message's tool calls stand in the very next user message, in the order of the calls. Rules
 * over a whole list of messages are `Transcript`; provider wire formats belong to the models package.
 */
import * as Schema from "effect/Schema"

/** Whatever a provider wants back unchanged with a part (a signature, an item id), keyed by provider. */
export const ProviderData = Schema.Record(Schema.String, Schema.Json)
export type ProviderData = typeof ProviderData.Type

export const TextPart = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
export type TextPart = typeof TextPart.Type

/** An image. `data` is base64 of the bytes. */
export const ImagePart = Schema.Struct({
  type: Schema.Literal("image"),
  mediaType: Schema.String,
  data: Schema.String
})
export type ImagePart = typeof ImagePart.Type

/** A model's thinking, replayed to its provider as it came. */
export const ReasoningPart = Schema.Struct({
  type: Schema.Literal("reasoning"),
  text: Schema.String,
  providerData: Schema.optionalKey(ProviderData)
})
export type ReasoningPart = typeof ReasoningPart.Type

/** A JSON object: what a tool takes. */
export const JsonObject = Schema.Record(Schema.String, Schema.Json)
export type JsonObject = typeof JsonObject.Type

export const ToolCallPart = Schema.Struct({
  type: Schema.Literal("tool_call"),
  id: Schema.String,
  name: Schema.String,
  input: JsonObject,
  providerData: Schema.optionalKey(ProviderData)
})
export type ToolCallPart = typeof ToolCallPart.Type

/** How a tool call ended. */
export const ToolStatus = Schema.Literals(["ok", "error", "timeout", "denied", "cancelled"])
export type ToolStatus = typeof ToolStatus.Type

/** The one answer of a tool call. Every status but `ok` is an error to the model. */
export const ToolResultPart = Schema.Struct({
  type: Schema.Literal("tool_result"),
  callId: Schema.String,
  name: Schema.String,
  status: ToolStatus,
  content: Schema.Array(Schema.Union([TextPart, ImagePart]))
})
export type ToolResultPart = typeof ToolResultPart.Type

export const UserPart = Schema.Union([TextPart, ImagePart, ToolResultPart])
export type UserPart = typeof UserPart.Type

export const AssistantPart = Schema.Union([ReasoningPart, TextPart, ToolCallPart])
export type AssistantPart = typeof AssistantPart.Type

export const UserMessage = Schema.Struct({ role: Schema.Literal("user"), parts: Schema.Array(UserPart) })
export type UserMessage = typeof UserMessage.Type

export const AssistantMessage = Schema.Struct({
  role: Schema.Literal("assistant"),
  parts: Schema.Array(AssistantPart)
})
export type AssistantMessage = typeof AssistantMessage.Type

export const Message = Schema.Union([UserMessage, AssistantMessage])
export type Message = typeof Message.Type

export const text = (value: string): TextPart => ({ type: "text", text: value })

export const userText = (value: string): UserMessage => ({ role: "user", parts: [text(value)] })

export const assistantText = (value: string): AssistantMessage => ({
  role: "assistant",
  parts: [text(value)]
})

/** The text parts of a message, joined by a newline. Tool results, reasoning and images are left out. */
export const textOf = (message: Message): string =>
  (message.parts as ReadonlyArray<UserPart | AssistantPart>)
    .filter((part): part is TextPart => part.type === "text")
    .map((part) => part.text)
    .join("\n")

export const toolCallsOf = (message: Message): ReadonlyArray<ToolCallPart> =>
  message.role === "assistant" ? message.parts.filter((part) => part.type === "tool_call") : []

export const toolResultsOf = (message: Message): ReadonlyArray<ToolResultPart> =>
  message.role === "user" ? message.parts.filter((part) => part.type === "tool_result") : []
