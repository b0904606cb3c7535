/**
 * The body of a chat-completions answer, ended at `data: [DONE]`: servers that leave the socket open after it would
 * otherwise be waited for. Bytes only; what the lines say is the AI SDK's.
 */

const done = /^data: ?\[DONE\]\s*$/

/** Passes everything up to and with the line `data: [DONE]`, then ends and lets go of the source. */
export const untilDone = (): TransformStream<Uint8Array, Uint8Array> => {
  // The line so far, in Latin-1: only ASCII is looked for, and no line longer than the mark can be it.
  let line = ""
  return new TransformStream({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at] as number
        if (byte !== 10 && byte !== 13) {
          if (line.length < 20) line += String.fromCharCode(byte)
          continue
        }
        if (done.test(line)) {
          controller.enqueue(chunk.subarray(0, at + 1))
          controller.terminate()
          return
        }
        line = ""
      }
      controller.enqueue(chunk)
    }
  })
}

/** `fetch` whose good answers end at `[DONE]`. */
export const fetchUntilDone = async (
  input: Request | URL | string,
  init?: RequestInit
): Promise<Response> => {
  const response = await fetch(input, init)
  if (!response.ok || response.body === null) return response
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(untilDone()), { status, statusText, headers })
}
