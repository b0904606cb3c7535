/** `fetch` whose good answers are mended for the AI SDK, by the wire that they are spoken on. */
import type { ProviderType } from "../ModelSettings.ts"
import * as AnthropicStream from "./AnthropicStream.ts"
import * as ChatStream from "./ChatStream.ts"
import * as GoogleStream from "./GoogleStream.ts"
import * as ResponsesStream from "./ResponsesStream.ts"
import * as SseBody from "./SseBody.ts"

const bodyOf = (
  type: ProviderType,
  source: ReadableStream<Uint8Array>,
  request: unknown
): ReadableStream<Uint8Array> => {
  switch (type) {
    case "openai-compatible":
      return SseBody.mended(source, ChatStream.fold(typeof request === "string" ? request : ""))
    case "anthropic":
      return SseBody.mended(source, AnthropicStream.fold)
    case "openai":
      return SseBody.mended(source, ResponsesStream.fold)
    case "google":
      return SseBody.mended(source, GoogleStream.fold)
  }
}

export const make = (type: ProviderType): typeof fetch => {
  const mending = async (input: Request | URL | string, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init)
    if (!response.ok || response.body === null) return response
    const { status, statusText, headers } = response
    return new Response(bodyOf(type, response.body, init?.body), { status, statusText, headers })
  }
  return mending as typeof fetch
}
