import { describe, expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import { AgentEvent } from "../../src/index.ts"

/** Fields in the order of the contract. */
const samples: ReadonlyArray<AgentEvent.AgentEvent> = [
  {
    type: "run_started",
    v: 1,
    run_id: "r",
    session_id: "s",
    model: "offline/cow",
    persona: "default",
    workspace: "/w",
    permission: "workspace-write",
    tools: { builtin: 7, mcp: 0 },
    mcp: [{ server: "fs", status: "starting" }],
    skills: { available: 1, unavailable: 0 }
  },
  {
    type: "step_started",
    step: 1,
    tools: ["read", "mcp__fs__write"],
    selection: { mode: "selected", reason: "over the threshold", added: ["mcp__fs__write"] }
  },
  { type: "text_delta", text: "line\nline \u2028 \ud83d\udc04" },
  { type: "reasoning_delta", text: "hm" },
  { type: "tool_called", call_id: "c", tool: "read", server: "", input: [1, { a: null }] },
  { type: "tool_finished", call_id: "c", tool: "read", status: "timeout", duration_ms: 1.5, content: "" },
  {
    type: "approval_requested",
    run_id: "r",
    call_id: "c",
    tool: "bash",
    server: "",
    input: { command: "ls" },
    reason: "it may change data"
  },
  { type: "retry_scheduled", attempt: 1, delay_ms: 250, reason: "overloaded" },
  { type: "context_compacted", before_tokens: 100, after_tokens: 10 },
  { type: "mcp_status", server: "fs", status: "failed", error: "gone", tools: 0 },
  { type: "tools_changed", added: ["a"], removed: [] },
  { type: "steered", count: 2 },
  { type: "error", code: "unauthorized", message: "no key" },
  {
    type: "run_finished",
    run_id: "r",
    status: "waiting_approval",
    text: "",
    steps: 1,
    usage: { input_tokens: 3, output_tokens: 2, cached_tokens: 1 },
    error: null
  }
]

describe("toLine", () => {
  test("puts type first, whatever the order it was given in, and drops what is not the event's own", () => {
    const event = { text: "hi", secret: "x", type: "text_delta" } as const
    expect(AgentEvent.toLine(event)).toBe('{"type":"text_delta","text":"hi"}')
  })

  test("there is a sample of every event here", () => {
    const types = AgentEvent.AgentEvent.members.map(({ fields }) => fields.type.literal)
    expect(samples.map(({ type }) => type).sort()).toEqual([...types].sort())
  })

  const decode = Schema.decodeUnknownSync(AgentEvent.AgentEvent)
  for (const sample of samples)
    test(`${sample.type} is one line, type first, that reads back as the same event`, () => {
      const backwards = Object.fromEntries([["extra", 1], ...Object.entries(sample).reverse()])
      const line = AgentEvent.toLine(backwards as AgentEvent.AgentEvent)
      expect(line).toBe(JSON.stringify(sample).replace("\u2028", "\\u2028"))
      expect(line).not.toContain("\n")
      expect(decode(JSON.parse(line))).toEqual(sample)
    })
})

test("a line shows hidden and control characters, holds no half character, and reads back as the same", () => {
  const hidden = "rm\u202e txt\u200b\u2066\u00ad\ufeff\u0007\u009b31m\u{e0041}"
  const called = {
    type: "tool_called",
    call_id: "c",
    tool: "bash",
    server: "",
    input: { [hidden]: hidden }
  } as const
  const line = AgentEvent.toLine(called)
  for (const character of ["\u202e", "\u200b", "\u2066", "\u00ad", "\ufeff", "\u0007", "\u009b", "\u{e0041}"])
    expect(line.includes(character)).toBe(false)
  expect(line).toContain("rm\\u202e txt\\u200b")
  expect(JSON.parse(line)).toEqual(called)
  const halved = AgentEvent.toLine({ type: "text_delta", text: "half \ud83d" })
  expect(JSON.parse(halved).text).toBe("half \ufffd")
})
