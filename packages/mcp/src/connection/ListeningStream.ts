/**
 * Paces the streams by which a client listens over streamable HTTP. The MCP client opens one again a second after it has
 * ended, for ever; a server that answers and ends at once would be asked all day.
 *
 * Streams that end soon are opened again after growing pauses. The one for what a server says by itself is optional: who
 * has ended it at once three times, and never said anything, is left alone. One that resumes the answer to a call is never given up.
 */
import type { FetchLike } from "@modelcontextprotocol/client"

/** One that was open for so long was kept open. */
const keptMillis = 10_000
/** After one, two, … in a row. */
const pauses = [2_000, 4_000, 8_000, 16_000, 30_000]
/** Somebody waits for what is resumed. */
const longestResumePause = 5_000
const maxEndedAtOnce = 3

export interface Time {
  readonly now: () => number
  /** Rejects when the signal does. */
  readonly sleep: (millis: number, signal: AbortSignal | undefined) => Promise<void>
}

export const realTime: Time = {
  now: () => performance.now(),
  sleep: (millis, signal) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", abort)
        resolve()
      }, millis)
      if (signal?.aborted) abort()
      else signal?.addEventListener("abort", abort, { once: true })
    })
}

/** What is known of the streams of one kind. */
interface Kind {
  /** In a row. */
  endedSoon: number
  hasSaid: boolean
}

const message = /^data:\s*\S/m

/** The same answer; `onEnd` is told when its body has ended by itself, and whether a message was in it. */
const watched = (response: Response, onEnd: (hasSaid: boolean) => void): Response => {
  const reader = response.body?.getReader()
  if (reader === undefined) {
    onEnd(false)
    return response
  }
  let hasSaid = false
  const decoder = new TextDecoder()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read()
        if (done) {
          onEnd(hasSaid)
          controller.close()
          return
        }
        hasSaid ||= message.test(decoder.decode(value, { stream: true }))
        controller.enqueue(value)
      } catch (error) {
        onEnd(hasSaid)
        controller.error(error)
      }
    },
    cancel: (reason) => reader.cancel(reason)
  })
  return new Response(body, response)
}

/** The same `fetch`; GETs wait their pause, and are answered 405 where the server is left alone. */
export const paced = (fetch: FetchLike, time: Time = realTime): FetchLike => {
  const listening: Kind = { endedSoon: 0, hasSaid: false }
  const resuming: Kind = { endedSoon: 0, hasSaid: false }
  return async (url, init) => {
    if (init?.method !== "GET") return fetch(url, init)
    const isResuming = new Headers(init.headers).has("last-event-id")
    const kind = isResuming ? resuming : listening
    if (!isResuming && kind.endedSoon >= maxEndedAtOnce && !kind.hasSaid)
      return new Response(null, { status: 405 })
    const pause = pauses[Math.min(kind.endedSoon, pauses.length) - 1]
    if (pause !== undefined)
      await time.sleep(isResuming ? Math.min(pause, longestResumePause) : pause, init.signal ?? undefined)
    const response = await fetch(url, init)
    if (!response.ok) return response
    const opened = time.now()
    return watched(response, (hasSaid) => {
      kind.hasSaid ||= hasSaid
      kind.endedSoon = time.now() - opened < keptMillis ? kind.endedSoon + 1 : 0
    })
  }
}
