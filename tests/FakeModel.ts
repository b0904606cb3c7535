/** A model server on loopback that follows a script, in the wire form of Anthropic Messages, and keeps the requests. */

export interface FakeTurn {
  readonly text?: string
  readonly call?: { readonly name: string; readonly input: object }
}

export interface FakeRequest {
  readonly system: string
  readonly tools: ReadonlyArray<string>
  /** Text of the newest tool result; `""` where the last message holds none. */
  readonly lastResult: string
}

export interface FakeModel {
  readonly requests: ReadonlyArray<FakeRequest>
  /** For `config.json`. */
  readonly config: object
  readonly stop: () => void
}

interface Part {
  readonly type: string
  readonly text?: string
  readonly content?: string | ReadonlyArray<Part>
}

interface Body {
  readonly system?: string | ReadonlyArray<Part>
  readonly tools?: ReadonlyArray<{ readonly name: string }>
  readonly messages: ReadonlyArray<{ readonly content: string | ReadonlyArray<Part> }>
}

const textOf = (content: string | ReadonlyArray<Part> | undefined): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n")

const read = (body: Body): FakeRequest => {
  const last = body.messages.at(-1)?.content
  const result = typeof last === "string" ? undefined : last?.findLast((part) => part.type === "tool_result")
  return {
    system: textOf(body.system),
    tools: (body.tools ?? []).map(({ name }) => name),
    lastResult: textOf(result?.content)
  }
}

const event = (type: string, body: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`

const usage = { input_tokens: 10, output_tokens: 5 }

const message = {
  id: "m",
  type: "message",
  role: "assistant",
  model: "m",
  content: [],
  stop_reason: null,
  usage
}

const block = (content: object, delta: object): string =>
  event("content_block_start", { index: 0, content_block: content }) +
  event("content_block_delta", { index: 0, delta }) +
  event("content_block_stop", { index: 0 })

/** The body of an answer. @param at which of the conversation's it is */
export const reply = (turn: FakeTurn, at: number): string => {
  const content =
    turn.call === undefined
      ? block({ type: "text", text: "" }, { type: "text_delta", text: turn.text ?? "" })
      : block(
          { type: "tool_use", id: `toolu_${at}`, name: turn.call.name, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(turn.call.input) }
        )
  const stop_reason = turn.call === undefined ? "end_turn" : "tool_use"
  return (
    event("message_start", { message }) +
    content +
    event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage }) +
    event("message_stop", {})
  )
}

export const startFakeModel = (script: ReadonlyArray<FakeTurn>): FakeModel => {
  const requests: Array<FakeRequest> = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      requests.push(read((await request.json()) as Body))
      const turn = script[requests.length - 1] ?? { text: "(no more turns)" }
      return new Response(reply(turn, requests.length), { headers: { "content-type": "text/event-stream" } })
    }
  })
  const base_url = `http://127.0.0.1:${server.port}`
  return {
    requests,
    config: { model: "fake/m", providers: { fake: { type: "anthropic", base_url, api_key: "sk-fake-key" } } },
    stop: () => void server.stop(true)
  }
}
