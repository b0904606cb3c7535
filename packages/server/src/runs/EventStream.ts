/** The events of a run as the body of an answer: one JSON object a line, or server-sent events. */
import { AgentEvent } from "@cow/core"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"

const contentTypes = ["application/x-ndjson", "text/event-stream"] as const

export const wanted = (accept: string | undefined): (typeof contentTypes)[number] =>
  accept?.toLowerCase().includes("text/event-stream") ? "text/event-stream" : "application/x-ndjson"

const encoder = new TextEncoder()

/** JSON holds no raw line end, so one `data:` line is always enough. */
const frame = (contentType: string, event: AgentEvent.AgentEvent): string => {
  const line = AgentEvent.toLine(event)
  return contentType === "text/event-stream" ? `event: ${event.type}\ndata: ${line}\n\n` : `${line}\n`
}

export const response = (
  contentType: (typeof contentTypes)[number],
  events: Stream.Stream<AgentEvent.AgentEvent>
) =>
  HttpServerResponse.stream(
    Stream.map(events, (event) => encoder.encode(frame(contentType, event))),
    { contentType, headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" } }
  )
