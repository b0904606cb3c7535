/**
 * A core request as the options of one AI SDK call: system parts, tools with their schema unchanged, cache marks,
 * limits. Messages are `PromptParts`; sending it is `SdkModel`. Pure.
 */
import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt
} from "@ai-sdk/provider"
import { Excerpt, type Model } from "@cow/core"
import type { ProviderType } from "./ModelSettings.ts"
import * as PromptParts from "./PromptParts.ts"

/** Chat completions take images in no agreed way inside tool results, and many such models take none at all. */
export const takesImages = (type: ProviderType): boolean => type !== "openai-compatible"

/** The prefix up to here is the same in the next step: Anthropic may keep it. Three of its four marks are used. */
const cached = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } } as const

/**
 * Output tokens to ask an Anthropic endpoint for. The API wants a number, and the SDK's own for a name it does not
 * know is 4,096; for names it knows it lowers ours to what the model has.
 */
const maxOutputTokens = (model: string): number => {
  if (!model.toLowerCase().includes("claude")) return 8192
  if (/claude-(3-5|3-7|3\.5|3\.7)/.test(model)) return 8192
  return /claude-(3(?=$|[-.])|2|v2|instant)/.test(model) ? 4096 : 32_000
}

const systemMessages = (
  type: ProviderType,
  parts: ReadonlyArray<Model.SystemPart>
): ReadonlyArray<LanguageModelV4Message> => {
  const said = parts.filter((part) => part.text !== "")
  if (said.length === 0) return []
  if (type !== "anthropic") {
    const content = Excerpt.wellFormed(said.map((part) => part.text).join("\n\n"))
    return [{ role: "system", content }]
  }
  const last = said.findLastIndex((part) => part.stable)
  return said.map((part, at) => ({
    role: "system",
    content: Excerpt.wellFormed(part.text),
    ...(at === last ? cached : {})
  }))
}

const tools = (
  type: ProviderType,
  definitions: Model.ModelRequest["tools"]
): Array<LanguageModelV4FunctionTool> =>
  definitions.map((tool, at) => ({
    type: "function",
    name: tool.name,
    description: Excerpt.wellFormed(tool.description),
    inputSchema: Excerpt.wellFormedDeep(tool.inputSchema) as JSONSchema7,
    // The Responses API is strict unless told otherwise, and then wants every property required.
    ...(type === "openai" ? { strict: false } : {}),
    ...(type === "anthropic" && at === definitions.length - 1 ? cached : {})
  }))

const withCacheMark = (type: ProviderType, messages: LanguageModelV4Prompt): LanguageModelV4Prompt =>
  type === "anthropic"
    ? messages.map((message, at) => (at === messages.length - 1 ? { ...message, ...cached } : message))
    : messages

export const make = (
  type: ProviderType,
  model: string,
  request: Model.ModelRequest
): LanguageModelV4CallOptions => {
  const messages = PromptParts.fromMessages(request.messages, {
    images: takesImages(type),
    errorFlag: type === "anthropic" || type === "google"
  })
  return {
    prompt: [...systemMessages(type, request.system), ...withCacheMark(type, messages)],
    ...(request.tools.length === 0
      ? {}
      : { tools: tools(type, request.tools), toolChoice: { type: request.toolChoice } }),
    ...(type === "anthropic" ? { maxOutputTokens: maxOutputTokens(model), includeRawChunks: true } : {}),
    // Nothing is kept at the provider: what a later request needs of its thinking comes back encrypted.
    ...(type === "openai" ? { providerOptions: { openai: { store: false } } } : {})
  }
}
