/**
 * The body of a streamed answer, mended event by event on its way to the AI SDK. Bytes in, bytes out; what an event
 * means is its wire's (`WireFold`).
 *
 * A connection that breaks off, or ends in the middle of a line, after everything that matters was said is no failure:
 * the fold tells, and adds what the SDK waits for.
 */
import * as Sse from "effect/encoding/Sse"
import { objectIn } from "../ReceivedText.ts"
import type { WireFold } from "./WireFold.ts"

/** In UTF-16 units. The last event of a Responses stream repeats the whole answer. */
const maxEventChars = 64 * 1024 * 1024

const format = (data: string): string =>
  `${data
    .split("\n")
    .map((line) => `data: ${line}`)
    .join("\n")}\n\n`

/** An event without a blank line behind it counts if all of its data came. */
const isWholeEvent = (data: string): boolean => data.trim() === "[DONE]" || objectIn(data) !== undefined

export const mended = <S>(
  source: ReadableStream<Uint8Array>,
  fold: WireFold<S>
): ReadableStream<Uint8Array> => {
  const reader = source.getReader()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let { initial: state } = fold
  let ended = false
  let atTail = false
  let out: Array<string> = []

  const parser = Sse.makeParser(
    (event) => {
      if (event._tag !== "Event" || ended || (atTail && !isWholeEvent(event.data))) return
      const folded = fold.step(state, event.data)
      state = folded.state
      ended = folded.ended
      out.push(...folded.pass)
    },
    { maxEventSize: maxEventChars }
  )
  const feed = (text: string): void => {
    const excess = parser.feed(text)
    if (excess !== undefined) throw excess
  }

  /** False once nothing more comes; fails where the source broke off before the reply was whole. */
  const more = async (): Promise<boolean> => {
    const [read, failure] = await reader.read().then(
      (result) => [result, undefined] as const,
      (cause: unknown) => [undefined, { cause }] as const
    )
    if (read?.value !== undefined) {
      feed(decoder.decode(read.value, { stream: true }))
      return !ended
    }
    atTail = true
    feed(`${decoder.decode()}\n\n`)
    if (ended) return false
    const rest = fold.end(state)
    if (rest === null && failure !== undefined) throw failure.cause
    out.push(...(rest ?? []))
    return false
  }

  const close = (): void => {
    // Whatever the source still has to say, or that it has failed already, is of no interest any more.
    reader.cancel().catch(() => undefined)
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          let open = true
          while (open && out.length === 0) open = await more()
          for (const data of out) controller.enqueue(encoder.encode(format(data)))
          out = []
          if (open) return
          close()
          controller.close()
        } catch (cause) {
          close()
          throw cause
        }
      },
      cancel: (reason) => reader.cancel(reason)
    },
    { highWaterMark: 0 }
  )
}
