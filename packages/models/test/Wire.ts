/**
 * A model endpoint on loopback that answers with what a test hands it, and keeps what it was sent. This is the layer
 * for node:net in these tests: only a raw socket can reset a connection.
 */
import { createServer } from "node:net"

export interface Received {
  readonly path: string
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into field by field by the tests
  readonly body: any
}

export interface Answer {
  readonly status?: number
  readonly headers?: Record<string, string>
  /** Pieces of the body, each its own write. */
  readonly pieces: ReadonlyArray<string | Uint8Array>
  /** `open`: the socket stays open after the last piece. */
  readonly socket?: "open"
}

export interface Wire {
  readonly url: string
  readonly received: Array<Received>
  /** Resolves with the first request. */
  readonly arrived: Promise<void>
  /** Resolves when the client has let go of a request whose answer was left open. */
  readonly letGo: Promise<void>
  readonly stop: () => Promise<void>
}

/** One server-sent event a value; a string is sent as it is. */
export const sse = (...events: ReadonlyArray<object | string>): string =>
  events
    .map((event) => {
      const name = typeof event === "object" && "type" in event ? `event: ${String(event.type)}\n` : ""
      return `${name}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`
    })
    .join("")

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  pieces: [typeof body === "string" ? body : JSON.stringify(body)]
})

/** Answers the n-th request with the n-th answer, and the last one for ever. */
export const serve = (...answers: ReadonlyArray<Answer>): Wire => {
  const received: Array<Received> = []
  const gone = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const answer = answers[Math.min(received.length, answers.length - 1)] as Answer
      received.push({
        path: new URL(request.url).pathname,
        headers: request.headers,
        body: await request.json()
      })
      arrived.resolve()
      request.signal.addEventListener("abort", () => gone.resolve())
      const bytes = answer.pieces.map((piece) =>
        typeof piece === "string" ? new TextEncoder().encode(piece) : piece
      )
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          for (const piece of bytes) {
            controller.enqueue(piece)
            await new Promise((resolve) => setImmediate(resolve))
          }
          if (answer.socket !== "open") controller.close()
        },
        cancel: () => gone.resolve()
      })
      return new Response(body, {
        status: answer.status ?? 200,
        headers: answer.headers ?? { "content-type": "text/event-stream" }
      })
    },
    error: () => new Response(null, { status: 500 })
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    arrived: arrived.promise,
    letGo: gone.promise,
    stop: () => server.stop(true)
  }
}

export const anthropic = (...blocks: ReadonlyArray<ReadonlyArray<object>>): ReadonlyArray<object> => [
  {
    type: "message_start",
    message: {
      id: "m",
      type: "message",
      role: "assistant",
      model: "x",
      content: [],
      stop_reason: null,
      usage: {
        input_tokens: 100,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
        output_tokens: 1
      }
    }
  },
  ...blocks.flatMap(([start, ...deltas], index) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index }
  ])
]

export const anthropicEnd = (
  reason: string,
  usage: object = { output_tokens: 10 }
): ReadonlyArray<object> => [
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage },
  { type: "message_stop" }
]

export const chat = (delta: object, finish: string | null = null): object => ({
  id: "c1",
  object: "chat.completion.chunk",
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }]
})

export const responses = (
  output: ReadonlyArray<object>,
  events: ReadonlyArray<object>
): ReadonlyArray<object> => {
  const base = { id: "r1", object: "response", created_at: 1, model: "m", output: [] }
  return [
    { type: "response.created", response: { ...base, status: "in_progress" } },
    ...events,
    {
      type: "response.completed",
      response: {
        ...base,
        status: "completed",
        output,
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 40 },
          output_tokens: 10,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 110
        }
      }
    }
  ]
}

/** A server that sends the beginning of a chunked answer and then drops the connection, with a reset or without. */
export const serveBroken = async (
  piece: string,
  how: "reset" | "drop"
): Promise<Pick<Wire, "url" | "stop">> => {
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy())
    socket.once("data", () =>
      socket.write(`${head}${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`, () =>
        // What has not been read when the connection fails is lost to the reader.
        setTimeout(() => (how === "reset" ? socket.resetAndDestroy() : socket.end()), 50)
      )
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve()))
  }
}
