/**
 * Messages as the AI SDK takes them, in order: results before what the user says, each result its own part.
 * What is around them (system, tools, limits) is `ModelCall`.
 */
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions
} from "@ai-sdk/provider"
import { Excerpt, type Message } from "@cow/core"

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"]
type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"]
type ToolContent = Extract<LanguageModelV4Message, { role: "tool" }>["content"]

const imageLeftOut = "[an image was left out: this model takes none]"

const options = (data: Message.ProviderData | undefined) =>
  data === undefined ? {} : { providerOptions: data as SharedV4ProviderOptions }

const textPart = (text: string): LanguageModelV4TextPart => ({ type: "text", text: Excerpt.wellFormed(text) })

const filePart = (image: Message.ImagePart): LanguageModelV4FilePart => ({
  type: "file",
  mediaType: image.mediaType,
  data: { type: "data", data: image.data }
})

/** What the wire can carry. */
interface Carries {
  readonly images: boolean
  /** Whether a result has an error flag of its own. Where it has none the text stands as it is. */
  readonly errorFlag: boolean
}

interface Placed {
  readonly output: LanguageModelV4ToolResultOutput
  /** Images of an error: the error flag and images exclude one another, so they follow in the user's turn. */
  readonly after: ReadonlyArray<Message.ImagePart>
}

const outputOf = (result: Message.ToolResultPart, carries: Carries): Placed => {
  const images = carries.images ? result.content.filter((part) => part.type === "image") : []
  const lines = result.content.flatMap((part) =>
    part.type === "text" ? [part.text] : carries.images ? [] : [imageLeftOut]
  )
  const value = Excerpt.wellFormed(lines.join("\n"))
  if (result.status !== "ok" && carries.errorFlag)
    return { output: { type: "error-text", value: value === "" ? result.status : value }, after: images }
  if (images.length === 0) return { output: { type: "text", value }, after: [] }
  const parts = result.content.map((part) => (part.type === "text" ? textPart(part.text) : filePart(part)))
  return {
    output: { type: "content", value: parts.filter((part) => part.type === "file" || part.text !== "") },
    after: []
  }
}

const userMessages = (message: Message.UserMessage, carries: Carries): LanguageModelV4Prompt => {
  const results: ToolContent = []
  const said: UserContent = []
  for (const part of message.parts)
    if (part.type === "tool_result") {
      const { output, after } = outputOf(part, carries)
      results.push({ type: "tool-result", toolCallId: part.callId, toolName: part.name, output })
      said.push(...after.map(filePart))
    } else if (part.type === "image") said.push(carries.images ? filePart(part) : textPart(imageLeftOut))
    else if (part.text !== "") said.push(textPart(part.text))
  return [
    ...(results.length === 0 ? [] : [{ role: "tool" as const, content: results }]),
    ...(said.length === 0 ? [] : [{ role: "user" as const, content: said }])
  ]
}

const assistantMessages = (message: Message.AssistantMessage): LanguageModelV4Prompt => {
  const content: AssistantContent = []
  for (const part of message.parts)
    switch (part.type) {
      case "text":
        if (part.text !== "") content.push(textPart(part.text))
        break
      case "reasoning":
        // Unchanged: a signature covers the very text.
        content.push({ type: "reasoning", text: part.text, ...options(part.providerData) })
        break
      case "tool_call":
        content.push({
          type: "tool-call",
          toolCallId: part.id,
          toolName: part.name,
          // Lone halves of surrogate pairs are no valid JSON text on the wire.
          input: Excerpt.wellFormedDeep(part.input),
          ...options(part.providerData)
        })
    }
  return content.length === 0 ? [] : [{ role: "assistant", content }]
}

export const fromMessages = (
  messages: ReadonlyArray<Message.Message>,
  carries: Carries
): LanguageModelV4Prompt =>
  messages.flatMap((message) =>
    message.role === "user" ? userMessages(message, carries) : assistantMessages(message)
  )
