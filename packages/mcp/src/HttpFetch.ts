/**
 * The `fetch` of HTTP connections: what the client would not see, or would see too late, is put right here. The
 * end of an event stream closes its last event, and an answer that is neither JSON nor events says what it is.
 */

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
  if (type === eventStream) return closingLastEvent(response)
  const isAnswer = type === "application/json" || type.endsWith("+json")
  if (response.status === 200 && init?.method === "POST" && !isAnswer && wantsAnswer(init.body)) {
    const text = (await response.text()).slice(0, 200)
    throw new NotAnAnswer(`the server answers with ${type || "no content type"} and not with JSON: ${text}`)
  }
  return response
}
