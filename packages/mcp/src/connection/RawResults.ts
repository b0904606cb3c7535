/**
 * Keeps the answers to single requests as they came over the wire.
 *
 * The MCP client checks a whole `tools/list` or `tools/call` result at once: one odd tool or block would lose all
 * of it. Requests marked with a token get their raw result here, and the client an empty one that passes.
 */
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client"
import { isObject } from "../config/ServerEntry.ts"
import * as WireAnswer from "./WireAnswer.ts"

const tokenKey = "cow/raw"

/** `data` of the error that stands for an answer which can no longer come. */
export const lostAnswer = "cow/lost"

export interface RawResults {
  /** Parameters of a request whose raw result is wanted. The mark does not go over the wire. */
  readonly mark: (params: Record<string, unknown>) => {
    readonly token: number
    readonly params: Record<string, unknown>
  }
  /** The raw result, once; `undefined` when there was none. */
  readonly take: (token: number) => unknown
}

const emptied = (result: Record<string, unknown>): Record<string, unknown> => {
  const { structuredContent: _, toolResult: __, ...rest } = result
  return "tools" in result ? { ...rest, tools: [] } : { ...rest, content: [] }
}

/** Changes the transport in place, so that everything it is known by stays. */
export const tap = (transport: Transport): RawResults => {
  let last = 0
  const tokens = new Map<unknown, number>()
  const results = new Map<number, unknown>()
  let handler: Transport["onmessage"]

  const receive: NonNullable<Transport["onmessage"]> = (received, extra) => {
    const message = isObject(received) ? (WireAnswer.repair(received) as unknown as JSONRPCMessage) : received
    const given: unknown = message
    const token = isObject(given) && "result" in given ? tokens.get(given.id) : undefined
    if (token === undefined || !isObject(given)) return handler?.(message, extra)
    tokens.delete(given.id)
    const result = given.result
    // `input_required` is no result yet: the client asks again under another id.
    if (!isObject(result) || (result.resultType ?? "complete") !== "complete")
      return handler?.(message, extra)
    results.set(token, result)
    handler?.({ ...given, result: emptied(result) } as never, extra)
  }
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => (handler === undefined ? undefined : receive),
    set: (next: Transport["onmessage"]) => {
      handler = next
    }
  })

  const send = transport.send.bind(transport)
  transport.send = (message: JSONRPCMessage, options?: TransportSendOptions) => {
    const { id, params } = message as { id?: string | number; params?: Record<string, unknown> }
    if (id === undefined || !("method" in message)) return send(message, options)
    const meta = params?._meta as Record<string, unknown> | undefined
    const token = meta?.[tokenKey]
    if (typeof token !== "number") return send(message, { ...options, onRequestStreamEnd: () => lost(id) })
    tokens.set(id, token)
    const { [tokenKey]: _, ...rest } = meta ?? {}
    const { _meta: __, ...others } = params ?? {}
    const clean = Object.keys(rest).length === 0 ? others : { ...others, _meta: rest }
    return send({ ...message, params: clean } as JSONRPCMessage, {
      ...options,
      onRequestStreamEnd: () => lost(id)
    })
  }
  /** An answer that can no longer come is an error, not a wait until the timeout. Ignored once it has come. */
  const lost = (id: string | number): void => {
    handler?.({
      jsonrpc: "2.0",
      id,
      error: { code: -32000, message: "connection lost before the answer", data: lostAnswer }
    } as never)
  }

  return {
    mark: (params) => {
      const token = ++last
      return { token, params: { ...params, _meta: { [tokenKey]: token } } }
    },
    take: (token) => {
      const result = results.get(token)
      results.delete(token)
      return result
    }
  }
}
