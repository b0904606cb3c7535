/**
 * What Cow answers when a server asks: its roots, forms, and model calls where the user has allowed them. `ping` the
 * client answers by itself; whatever else a server asks is refused as an unknown method.
 *
 * Who fills in forms is `Elicitor`; who makes model calls is `Sampler`.
 */
import type { Message } from "@cow/core"
import type { Client, ClientCapabilities } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import { isObject } from "../config/ServerEntry.ts"
import { Elicitor, withDefaults } from "./Elicitor.ts"
import { Sampler } from "./Sampler.ts"

export interface ServerRequests {
  readonly capabilities: ClientCapabilities
  readonly answer: (client: Client) => void
  /** A person is being asked now: whoever waits for the server waits for the person. */
  readonly isAsking?: () => boolean
}

const actions = { Accepted: "accept", Declined: "decline", Cancelled: "cancel" } as const

/** Answers nothing but that there are no roots and nobody to ask. */
export const none: ServerRequests = {
  capabilities: { roots: {}, elicitation: { form: {} } },
  answer: (client) => {
    client.setRequestHandler("roots/list", () => ({ roots: [] }))
    client.setRequestHandler("elicitation/create", () => ({ action: "decline" }))
  }
}

/** @param server its name in the configuration */
export const make = (server: string): Effect.Effect<ServerRequests> =>
  Effect.gen(function* () {
    const elicitor = yield* Elicitor
    const sampler = yield* Sampler
    // The client calls back from outside of any fiber.
    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    let asking = 0
    const asked = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        asking++
        return Effect.ensuring(
          effect,
          Effect.sync(() => void asking--)
        )
      })
    const elicitation = { form: {}, ...(elicitor.visit === undefined ? {} : { url: {} }) }
    return {
      capabilities: {
        ...none.capabilities,
        elicitation,
        ...(sampler === undefined ? {} : { sampling: {} })
      },
      isAsking: () => asking > 0,
      answer: (client) => {
        // None: a server that is told of a root takes it in place of the folders that its entry names.
        client.setRequestHandler("roots/list", () => ({ roots: [] }))
        client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq: { signal } }) => {
          const { message } = params
          if ("url" in params) {
            const visit = elicitor.visit
            if (visit === undefined) return { action: "decline" }
            const answer = await run(asked(visit({ server, message, url: params.url })), { signal })
            return { action: actions[answer._tag] }
          }
          const schema: unknown = "requestedSchema" in params ? params.requestedSchema : {}
          const form = { server, message, schema: isObject(schema) ? schema : {} }
          const answer = await run(asked(elicitor.ask(form)), { signal })
          if (answer._tag !== "Accepted") return { action: actions[answer._tag] }
          const content = withDefaults(answer.content, form.schema)
          return {
            action: "accept",
            content: content as Record<string, string | number | boolean | string[]>
          }
        })
        if (sampler === undefined) return
        client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq: { signal } }) => {
          const asked = params as unknown as Message.JsonObject
          const { model, stopReason, text } = await run(sampler.create(server, asked), { signal })
          return { role: "assistant", model, stopReason, content: { type: "text", text } }
        })
      }
    }
  })
