/**
 * The `fetch` of HTTP connections: what the client would not see, or would see too late, is put right here. The
 * end of an event stream closes its last event, an answer that is neither JSON nor events says what it is, and none outgrows the memory.
 */
import * as BoundedBody from "./BoundedBody.ts"

const eventStream = "text/event-stream"

/** An answer 200 to a request that is no answer, such as a page to sign in. */
export class NotAnAnswer extends Error {
  override readonly name = "NotAnAnswer"
}

const blankLine = new TextEncoder().encode("\n\n")

const closingLastEvent = (response: Response): Response =>
  response.body === null
    ? response
    : new Response(
        response.body.pipeThrough(
          new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
            flush: (controller) => controller.enqueue(blankLine)
          })
        ),
        response
      )

/** A JSON-RPC request wants an answer; notifications and answers to the server do not. */
const wantsAnswer = (body: unknown): boolean => {
  if (typeof body !== "string") return false
  try {
    const message = JSON.parse(body)
    return message?.id !== undefined && message?.method !== undefined
  } catch {
    // Not a message of ours, so no answer of the protocol is due.
    return false
  }
}

/** Rejects with `NotAnAnswer`, which quotes the first 200 characters. */
export const httpFetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
  const response = await fetch(url, init)
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
  if (type === eventStream) return closingLastEvent(BoundedBody.bound(response, true))
  const isAnswer = type === "application/json" || type.endsWith("+json")
  if (response.status === 200 && init?.method === "POST" && !isAnswer && wantsAnswer(init.body)) {
    const text = await BoundedBody.head(response, 200)
    throw new NotAnAnswer(`the server answers with ${type || "no content type"} and not with JSON: ${text}`)
  }
  return BoundedBody.bound(response, false)
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\./.test(host)

/** Nothing of a login takes longer. */
const loginMillis = 15_000

/**
 * The `fetch` for the metadata and the tokens of a server's login. A server elsewhere cannot point it at this
 * machine, and nothing secret goes unencrypted to another one.
 */
export const oauthFetch =
  (server: URL) =>
  async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const { host, hostname, protocol } = new URL(url)
    if (host !== server.host && isLoopback(hostname) && !isLoopback(server.hostname))
      throw new Error(`the login points at ${host}, on this machine`)
    if (protocol !== "https:" && host !== server.host && !isLoopback(hostname))
      throw new Error(`the login points at ${host} without https`)
    const limit = AbortSignal.timeout(loginMillis)
    return fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, limit]) : limit })
  }
