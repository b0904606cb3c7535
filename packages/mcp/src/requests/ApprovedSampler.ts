/**
 * The layer of `Sampler` over core's `Models`: the user approves each call, having seen all of what the server wants
 * the model to read. Text and images only; a server's tools are not offered to the model.
 */
import type { Message, Model } from "@cow/core"
import { Approver, Events, Message as Messages, Models } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { isObject } from "../config/ServerEntry.ts"
import { type Sampled, Sampler, SamplingRefused } from "./Sampler.ts"

const refuse = (message: string) => Effect.fail(new SamplingRefused({ message }))

type Part = Message.TextPart | Message.ImagePart

const partOf = (block: unknown): Part | undefined => {
  if (!isObject(block)) return undefined
  const { data, mimeType, text, type } = block
  if (type === "text" && typeof text === "string") return Messages.text(text.toWellFormed())
  return type === "image" && typeof data === "string" && typeof mimeType === "string"
    ? { type, data, mediaType: mimeType }
    : undefined
}

const messageOf = (asked: unknown): Message.Message | undefined => {
  if (!isObject(asked)) return undefined
  const { content, role } = asked
  const parts = (Array.isArray(content) ? content : [content]).map(partOf)
  if (role === "user" && parts.every((part) => part !== undefined)) return { role, parts }
  const texts = parts.filter((part) => part?.type === "text")
  return role === "assistant" && texts.length === parts.length ? { role, parts: texts } : undefined
}

/** `undefined` where something of it cannot be put before a model. */
const requestOf = ({ messages, systemPrompt }: Message.JsonObject): Model.ModelRequest | undefined => {
  const read = (Array.isArray(messages) ? messages : []).map(messageOf)
  const known = read.filter((message) => message !== undefined)
  if (known.length === 0 || known.length < read.length) return undefined
  const system =
    typeof systemPrompt === "string" ? [{ text: systemPrompt.toWellFormed(), stable: false }] : []
  return { system, messages: known, tools: [], toolChoice: "none" }
}

/** @param modelId `provider/model`: what servers get, whatever they would prefer */
export const layer = (modelId: string): Layer.Layer<never, never, Models | Approver | Events> =>
  Layer.effect(
    Sampler,
    Effect.gen(function* () {
      const models = yield* Models
      const approver = yield* Approver
      const events = yield* Events

      const approve = Effect.fnUntraced(function* (server: string, input: Message.JsonObject) {
        const callId = `sampling-${(yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)).toString(36)}`
        const reason = `MCP server "${server}" asks for a call of ${modelId}`
        const shown = { tool: "sampling/createMessage", server, input, reason }
        yield* events.publish(callId, {
          type: "approval_requested",
          run_id: callId,
          call_id: callId,
          ...shown
        })
        const answer = yield* approver.ask(callId, { callId, ...shown })
        if (answer._tag === "Unattended") return yield* refuse("nobody is there to approve the call")
        if (answer._tag === "Refused") return yield* refuse("the user refused the call")
      })

      const create = Effect.fn("Sampler.create")(function* (server: string, asked: Message.JsonObject) {
        const request = requestOf(asked)
        if (request === undefined) return yield* refuse("only text and images can be put before the model")
        yield* approve(server, asked)
        const model = yield* models.get(modelId)
        const reply = yield* Stream.runFold(
          model.stream(request),
          (): Sampled => ({ model: modelId, stopReason: "endTurn", text: "" }),
          (before, event) => {
            if (event._tag === "TextDelta") return { ...before, text: before.text + event.text }
            return event._tag === "Finish" && event.reason === "length"
              ? { ...before, stopReason: "maxTokens" as const }
              : before
          }
        )
        return reply
      })
      return {
        create: (server, asked) =>
          Effect.catchTags(create(server, asked), {
            ModelNotFound: ({ message }) => refuse(message),
            ModelError: ({ message }) => refuse(`the model failed: ${message}`)
          })
      }
    })
  )
