/**
 * The body of an answer, ended with an error where it outgrows what is held of it: a whole body, or one event of a
 * stream of events. Counted after decompression.
 */

export class BodyTooLong extends Error {
  override readonly name = "BodyTooLong"
}

/** As long as a message over stdio may be. */
export const maxBytes = 64 * 1024 * 1024

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Counts what a reader must hold: the most of it while it takes this chunk. */
type Count = (chunk: Uint8Array) => number

const whole = (): Count => {
  let size = 0
  return (chunk) => {
    size += chunk.length
    return size
  }
}

/** An empty line ends an event, whatever ends the lines. */
const ofEvent = (): Count => {
  let size = 0
  let isLineEmpty = true
  let before = 0
  return (chunk) => {
    let most = 0
    for (const byte of chunk) {
      most = Math.max(most, ++size)
      const isSameEnd = byte === lineFeed && before === carriageReturn
      before = byte
      if (isSameEnd) continue
      if (byte !== lineFeed && byte !== carriageReturn) isLineEmpty = false
      else if (isLineEmpty) size = 0
      else isLineEmpty = true
    }
    return most
  }
}

/** The same answer; reading it fails with `BodyTooLong` beyond `limit`. */
export const bound = (response: Response, isEvents: boolean, limit = maxBytes): Response => {
  if (response.body === null) return response
  const count = isEvents ? ofEvent() : whole()
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      if (count(chunk) > limit)
        controller.error(new BodyTooLong(`the answer is too long (over ${limit} bytes)`))
      else controller.enqueue(chunk)
    }
  })
  return new Response(response.body.pipeThrough(counting), response)
}

/** The first characters; what follows is not waited for. */
export const head = async (response: Response, characters: number): Promise<string> => {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (reader !== undefined && text.length < characters) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  await reader?.cancel()
  return text.slice(0, characters)
}
