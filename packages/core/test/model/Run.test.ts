import { describe, expect, test } from "bun:test"
import { Message, Run, sessionTitle } from "../../src/index.ts"

const states = Run.RunStatus.literals

/** Every step that is allowed; all other pairs are not. */
const allowed = new Set([
  "queued running",
  "queued failed",
  "queued cancelled",
  "running waiting_approval",
  "running completed",
  "running failed",
  "running cancelled",
  "running limit",
  "waiting_approval running",
  "waiting_approval failed",
  "waiting_approval cancelled"
])

describe("canBecome", () => {
  for (const from of states)
    test(`from ${from} only what may follow it follows`, () => {
      for (const to of states)
        expect([to, Run.canBecome(from, to)]).toEqual([to, allowed.has(`${from} ${to}`)])
    })

  test("has been asked for all 49 pairs", () => {
    expect(states.length ** 2).toBe(49)
  })
})

test("a state is final when nothing follows it", () => {
  expect(states.filter(Run.isFinal)).toEqual(["completed", "failed", "cancelled", "limit"])
})

describe("sessionTitle", () => {
  test("is the first text of the user's in one line of at most 60 characters", () => {
    const cow = "\u{1F404}"
    expect(sessionTitle([Message.userText(`  a\n\n b\t${cow.repeat(80)}`)])).toBe(`a b ${cow.repeat(56)}`)
    expect(sessionTitle([Message.assistantText("me"), Message.userText(" "), Message.userText("you")])).toBe(
      "you"
    )
    expect(sessionTitle([])).toBe("")
  })
})

describe("texts and parts of a message", () => {
  test("text leaves out results, thoughts and images", () => {
    const message: Message.Message = {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm" },
        Message.text("one"),
        { type: "tool_call", id: "1", name: "read", input: {} },
        Message.text("two")
      ]
    }
    expect(Message.textOf(message)).toBe("one\ntwo")
    expect(Message.toolCallsOf(message).map(({ id }) => id)).toEqual(["1"])
    expect(Message.toolResultsOf(message)).toEqual([])
  })
})
