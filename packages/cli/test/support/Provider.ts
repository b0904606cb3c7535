/** A provider on this machine that answers as it is told: a call, a text, or a text without an end. */

/** `hang`: what was said so far stands there and nothing follows. */
export type Reply = { readonly text: string; readonly hang?: boolean } | { readonly command: string }

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: "c",
    object: "chat.completion.chunk",
    created: 0,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }]
  })}\n\n`

const bodyOf = (reply: Reply): string =>
  "text" in reply
    ? `${chunk({ role: "assistant", content: reply.text })}${reply.hang ? "" : `${chunk({}, "stop")}data: [DONE]\n\n`}`
    : `${chunk({
        role: "assistant",
        tool_calls: [
          {
            index: 0,
            id: `call_${Math.random().toString(16).slice(2)}`,
            type: "function",
            function: { name: "bash", arguments: JSON.stringify({ command: reply.command }) }
          }
        ]
      })}${chunk({}, "tool_calls")}data: [DONE]\n\n`

export class Provider implements Disposable {
  /** The bodies that came. */
  readonly requests: Array<string> = []
  /** How many answers were left by whoever asked before their end. */
  left = 0
  private readonly server: Bun.Server<undefined>

  /** The last reply is given again and again. */
  constructor(replies: ReadonlyArray<Reply>) {
    this.server = Bun.serve({
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => {
        request.signal.addEventListener("abort", () => this.left++)
        this.requests.push(await request.text())
        const reply = replies[Math.min(this.requests.length, replies.length) - 1] as Reply
        const body = new ReadableStream({
          start: (controller) => {
            controller.enqueue(new TextEncoder().encode(bodyOf(reply)))
            if (!("hang" in reply && reply.hang)) controller.close()
          }
        })
        return new Response(body, { headers: { "content-type": "text/event-stream" } })
      }
    })
  }

  get config() {
    return {
      model: "fake/m",
      providers: {
        fake: {
          type: "openai-compatible",
          base_url: `http://127.0.0.1:${this.server.port}/v1`,
          api_key: "k"
        }
      }
    }
  }

  [Symbol.dispose](): void {
    void this.server.stop(true)
  }
}
