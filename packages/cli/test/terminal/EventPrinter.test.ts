import { describe, expect, test } from "bun:test"
import type { AgentEvent } from "@cow/core"
import * as Effect from "effect/Effect"
import * as EventPrinter from "../../src/terminal/EventPrinter.ts"

const finished = (
  text: string,
  more: Partial<AgentEvent.AgentEventOf<"run_finished">> = {}
): AgentEvent.AgentEvent => ({
  type: "run_finished",
  run_id: "r",
  status: "completed",
  text,
  steps: 1,
  usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0 },
  error: null,
  ...more
})
const delta = (text: string): AgentEvent.AgentEvent => ({ type: "text_delta", text })

const printed = (
  options: Partial<EventPrinter.PrinterOptions>,
  ...events: ReadonlyArray<AgentEvent.AgentEvent>
) => {
  const stdout: Array<string> = []
  const stderr: Array<string> = []
  const write = (to: Array<string>) => (text: string) => Effect.sync(() => void to.push(text))
  const sink = EventPrinter.sink(
    { raw: write(stdout), note: (line) => write(stderr)(`${line}\n`), rawNote: write(stderr) },
    { format: "text", live: false, quiet: false, ...options }
  )
  for (const event of events) Effect.runSync(sink("r", event))
  return { stdout: stdout.join(""), stderr: stderr.join("") }
}

const retry: AgentEvent.AgentEvent = {
  type: "retry_scheduled",
  attempt: 1,
  delay_ms: 2000,
  reason: "overloaded"
}

describe("EventPrinter", () => {
  test("as text only the answer goes to stdout, whatever was said on the way", () => {
    const out = printed({}, delta("Let me look."), delta("The answer."), finished("The answer."))
    expect(out).toEqual({ stdout: "The answer.\n", stderr: "" })
  })

  test("what happens on the way is told on stderr, a line each, also where nobody watches; not with --quiet", () => {
    const events: ReadonlyArray<AgentEvent.AgentEvent> = [
      retry,
      { type: "tool_called", call_id: "c", tool: "bash", server: "", input: { command: "ls" } },
      { type: "tool_finished", call_id: "c", tool: "bash", status: "ok", duration_ms: 1234, content: "a" },
      {
        type: "tool_finished",
        call_id: "d",
        tool: "ls",
        status: "error",
        duration_ms: 0,
        content: "no\nway"
      },
      { type: "mcp_status", server: "box", status: "failed", error: "gone", tools: 0 },
      finished("The answer.")
    ]
    const out = printed({}, ...events)
    expect(out.stdout).toBe("The answer.\n")
    expect(out.stderr.split("\n")).toEqual([
      "cow: overloaded; trying again in 2 s",
      '• bash {"command":"ls"}',
      "  bash: ok in 1.2 s",
      "  ls: error in 0 s: no way",
      "cow: MCP server box failed: gone",
      ""
    ])
    expect(printed({ quiet: true }, ...events)).toEqual({ stdout: "The answer.\n", stderr: "" })
  })

  test("as JSON every event is one line with its type first and nothing goes to stderr", () => {
    const out = printed({ format: "json" }, delta("a\nb\u009b"), finished("x"))
    const lines = out.stdout.trimEnd().split("\n")
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(["text_delta", "run_finished"])
    expect(lines.every((line) => line.startsWith('{"type":'))).toBe(true)
    expect(out.stdout).not.toContain("\u009b")
    expect(out.stderr).toBe("")
  })

  test("on a terminal text is shown as it comes and not printed again at the end", () => {
    expect(printed({ live: true }, delta("The "), delta("answer."), finished("The answer.")).stdout).toBe(
      "The answer.\n"
    )
  })

  test("on a terminal the text of an attempt that failed is told to be void", () => {
    const out = printed({ live: true }, delta("wro"), retry, delta("right"), finished("right"))
    expect(out.stdout).toBe("wro\nright\n")
    expect(out.stderr).toContain("does not count")
    expect(printed({}, delta("wro"), retry, delta("right"), finished("right")).stdout).toBe("right\n")
  })

  test("a control sequence or an emoji cut in two by the stream comes out whole and harmless", () => {
    const out = printed(
      { live: true },
      delta("\ud83d"),
      delta("\ude00 \x1b"),
      delta("[2J\r"),
      delta("\n!"),
      finished("x")
    )
    expect(out.stdout).toBe("😀 \\x1b[2J\n!\n")
  })

  test("a failed run leaves one line on stderr, also when an error event said the same", () => {
    const failed = finished("", { status: "failed", error: "the provider refused the key" })
    const error: AgentEvent.AgentEvent = { type: "error", code: "x", message: "the provider refused the key" }
    expect(printed({}, failed)).toEqual({ stdout: "", stderr: "cow: the provider refused the key\n" })
    expect(printed({}, error, failed).stderr).toBe("cow: the provider refused the key\n")
  })

  test("the end of a padded command is visible where its approval is asked", () => {
    const out = printed(
      {},
      {
        type: "approval_requested",
        run_id: "r",
        call_id: "c",
        tool: "bash",
        server: "",
        input: { command: `echo safe${" ".repeat(300)}; touch MARKER` },
        reason: "a command that may change things"
      }
    )
    expect(out.stderr).toContain("echo safe …300 blanks… ; touch MARKER")
  })
})
