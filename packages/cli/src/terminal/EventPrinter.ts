/**
 * Prints the events of runs as they happen: every event as a line of JSON, or, for people, the answer on stdout and
 * what else they must know on stderr. What a failed attempt streamed is void and never passes for the answer.
 *
 * A sink of core's `Events`; text is made safe by `Printable`, lines of JSON by core's `AgentEvent.toLine`.
 */
import { AgentEvent, type EventSink } from "@cow/core"
import * as Effect from "effect/Effect"
import type { Output } from "./Output.ts"
import { compact, oneLine, visible } from "./Printable.ts"

export interface PrinterOptions {
  readonly format: "text" | "json"
  /** Text is shown while it streams: for a terminal. */
  readonly live: boolean
  /** Without it steps are told on stderr. */
  readonly quiet: boolean
  /** How whoever reads can answer an approval here; absent: not here. */
  readonly approvalHint?: string
}

type Writers = Pick<Output["Service"], "raw" | "note" | "rawNote">

export const json =
  (output: Writers): EventSink =>
  (_, event) =>
    output.raw(`${AgentEvent.toLine(event)}\n`)

/** What a person must decide about: the tool, and its whole input in one line. */
export const approvalLines = (
  event: AgentEvent.AgentEventOf<"approval_requested">
): ReadonlyArray<string> => [
  `cow: ${event.tool} waits for your approval: ${compact(event.reason)}`,
  `     ${compact(JSON.stringify(event.input))}`
]

/** Characters that an unfinished delta may end in the middle of. */
const unfinished = /[\uD800-\uDBFF\r]$/

export const text = (output: Writers, options: PrinterOptions): EventSink => {
  const hints = options.approvalHint === undefined ? [] : [`     ${options.approvalHint}`]
  let streamed = ""
  let held = ""
  let told = ""
  const awaited = new Set<string>()

  const show = (delta: string): Effect.Effect<void> => {
    const all = held + delta
    held = unfinished.test(all) ? all.slice(-1) : ""
    streamed += delta
    return output.raw(visible(held === "" ? all : all.slice(0, -1)))
  }
  /** Ends what was streamed so that the next thing begins on a line of its own. */
  const endLine = Effect.suspend(() => {
    const open = streamed !== "" && !streamed.endsWith("\n")
    streamed = ""
    held = ""
    return open ? output.raw("\n") : Effect.void
  })
  const progress = (line: string) => (options.quiet ? Effect.void : output.note(line))
  const say = (line: string) => {
    told = line
    return output.note(line)
  }

  return (_, event) => {
    switch (event.type) {
      case "text_delta":
        return options.live ? show(event.text) : Effect.void
      case "retry_scheduled": {
        const void_ = options.live && streamed !== "" ? "; the text above does not count" : ""
        return Effect.andThen(
          endLine,
          progress(`cow: ${event.reason}; trying again in ${secondsOf(event.delay_ms)} s${void_}`)
        )
      }
      case "tool_called":
        return Effect.andThen(
          endLine,
          progress(`• ${event.tool} ${shortened(compact(JSON.stringify(event.input)))}`)
        )
      case "tool_finished":
        return progress(
          `  ${event.tool}: ${event.status} in ${secondsOf(event.duration_ms)} s${event.status === "ok" ? "" : `: ${shortened(oneLine(event.content))}`}`
        )
      case "context_compacted":
        return progress(
          `cow: the history was shortened from ${event.before_tokens} to ${event.after_tokens} tokens`
        )
      case "mcp_status":
        if ((event.status === "starting" || event.status === "pending") && !awaited.has(event.server)) {
          awaited.add(event.server)
          return progress(`cow: MCP server ${event.server} is starting`)
        }
        return event.status === "failed"
          ? progress(`cow: MCP server ${event.server} failed: ${event.error}`)
          : Effect.void
      case "approval_requested":
        return Effect.andThen(
          endLine,
          Effect.forEach([...approvalLines(event), ...hints], output.note, { discard: true })
        )
      case "error":
        return Effect.andThen(endLine, say(`cow: ${event.message}`))
      case "run_finished": {
        const failure = event.status === "failed" ? `cow: ${event.error ?? "the run failed"}` : ""
        const answer =
          options.live && streamed !== ""
            ? endLine
            : output.raw(event.text === "" ? "" : `${visible(event.text).replace(/\n$/, "")}\n`)
        const ending = failure !== "" && failure !== told ? output.note(failure) : Effect.void
        told = ""
        return Effect.andThen(answer, ending)
      }
      default:
        return Effect.void
    }
  }
}

const secondsOf = (millis: number): number => Math.round(millis / 100) / 10

const shortened = (line: string): string => (line.length > 160 ? `${line.slice(0, 157)}…` : line)

export const sink = (output: Writers, options: PrinterOptions): EventSink =>
  options.format === "json" ? json(output) : text(output, options)
