/**
 * The server's side of MCP over lines of JSON: greets, lists tools, runs calls beside one another, and ends a call that
 * the client cancels. Which tools there are and how one is called is handed in; the pipes are the command's.
 */
import { JsonValue, type Message, type ToolResult } from "@cow/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { version } from "../Version.ts"

export interface ServedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Message.JsonObject
  readonly readOnly: boolean
}

export interface ServedResult {
  readonly content: ReadonlyArray<ToolResult.ToolContent>
  readonly structured: Schema.Json | null
  readonly isError: boolean
}

export interface Offer {
  readonly tools: Effect.Effect<ReadonlyArray<ServedTool>>
  readonly call: (name: string, input: Message.JsonObject) => Effect.Effect<ServedResult>
}

/** Newest last: what a client gets that asks for one that is not here. */
export const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const
const newest = revisions[revisions.length - 1]

const code = { parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603 } as const

type Reply = { readonly result: object } | { readonly error: { code: number; message: string } }
const fault = (which: keyof typeof code, message: string): Reply => ({
  error: { code: code[which], message }
})

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    // Told to the client as a parse error.
    return undefined
  }
}

const greet = ({ protocolVersion }: Message.JsonObject): Reply => ({
  result: {
    protocolVersion: revisions.find((one) => one === protocolVersion) ?? newest,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "cow", version }
  }
})

const listed = ({ description, inputSchema, name, readOnly }: ServedTool) => ({
  name,
  description,
  inputSchema,
  annotations: { readOnlyHint: readOnly }
})

const resultOf = ({ content, isError, structured }: ServedResult): Reply => ({
  result: {
    content: content.map((part) =>
      part.type === "image"
        ? { type: "image", data: part.data, mimeType: part.mediaType }
        : { type: "text", text: part.text }
    ),
    ...(JsonValue.isObject(structured) ? { structuredContent: structured } : {}),
    isError
  }
})

export interface McpServer {
  /** Takes one line; its answer, if any, is sent when it is there. */
  readonly receive: (line: string) => Effect.Effect<void>
  /** Tells the client that the list of tools is another one. */
  readonly announce: Effect.Effect<void>
  /** Waits until every call has been answered. */
  readonly idle: Effect.Effect<void>
}

/** @param send writes one line */
export const make = (
  offer: Offer,
  send: (line: string) => Effect.Effect<void>
): Effect.Effect<McpServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const open = yield* FiberMap.make<string, void, never>()
    let greeted = false
    const tell = (message: object) => send(JSON.stringify({ jsonrpc: "2.0", ...message }))

    const callTool = Effect.fnUntraced(function* (params: Message.JsonObject) {
      const { arguments: input = {}, name } = params
      const known = (yield* offer.tools).some((tool) => tool.name === name)
      if (typeof name !== "string" || !known) return fault("params", `Unknown tool: ${String(name)}`)
      if (!JsonValue.isObject(input)) return fault("params", "arguments must be an object")
      return resultOf(yield* offer.call(name, input))
    })

    const answer = (method: string, params: Message.JsonObject): Effect.Effect<Reply> => {
      switch (method) {
        case "initialize":
          greeted = true
          return Effect.succeed(greet(params))
        case "ping":
          return Effect.succeed({ result: {} })
        case "tools/list":
          return Effect.map(offer.tools, (tools) => ({ result: { tools: tools.map(listed) } }))
        case "tools/call":
          return callTool(params)
        default:
          return Effect.succeed(fault("method", `Method not found: ${method}`))
      }
    }

    /** A cancelled request gets no answer; a bug is one for its request only. */
    const respond = (id: string | number, method: string, params: Message.JsonObject) =>
      Effect.exit(Effect.suspend(() => answer(method, params))).pipe(
        Effect.flatMap((exit) => {
          if (Exit.isSuccess(exit)) return tell({ id, ...exit.value })
          return Cause.hasInterruptsOnly(exit.cause)
            ? Effect.void
            : Effect.andThen(
                Effect.logError(`${method} failed`, exit.cause),
                tell({ id, ...fault("internal", "internal error") })
              )
        })
      )

    const receive = (line: string): Effect.Effect<void> => {
      if (line.trim() === "") return Effect.void
      const message = parse(line)
      if (message === undefined) return tell({ id: null, ...fault("parse", "the line is no JSON") })
      const { id, method, params } = JsonValue.isObject(message) ? message : {}
      if (typeof method !== "string") {
        // An answer to a request that was never made says nothing.
        const isAnswer = JsonValue.isObject(message) && ("result" in message || "error" in message)
        return isAnswer ? Effect.void : tell({ id: null, ...fault("request", "no method is asked for") })
      }
      const given = JsonValue.isObject(params) ? params : {}
      if (id === undefined)
        return method === "notifications/cancelled"
          ? FiberMap.remove(open, JSON.stringify(given.requestId))
          : Effect.void
      if (typeof id !== "string" && typeof id !== "number")
        return tell({ id: null, ...fault("request", "the id must be a string or a number") })
      return Effect.asVoid(FiberMap.run(open, JSON.stringify(id), respond(id, method, given)))
    }

    return {
      receive,
      announce: Effect.suspend(() =>
        greeted ? tell({ method: "notifications/tools/list_changed" }) : Effect.void
      ),
      idle: FiberMap.awaitEmpty(open)
    }
  })
