import { expect, test } from "bun:test"
import { callsOf, finishOf, reply, textOf } from "./Fixture.ts"
import { ask } from "./offline/Fixture.ts"

const none = { providers: {}, environment: {} }

test("the offline model streams like any other: text with usage", async () => {
  const events = await reply(none, "offline/cow", ask("hello"))
  expect(textOf(events)).toContain("no language model")
  const finish = finishOf(events)
  expect(finish?.reason).toBe("stop")
  expect(finish?.usage.inputTokens).toBeGreaterThan(100)
  expect(finish?.usage.outputTokens).toBe(Math.ceil(textOf(events).length / 4))
})

test("a call comes with an id that the session does not have yet", async () => {
  const events = await reply(none, "offline/cow", ask("read README.md"))
  expect(callsOf(events)).toEqual([{ id: "offline_1", name: "read", arguments: '{"path":"README.md"}' }])
  expect(finishOf(events)?.reason).toBe("tool_calls")
})
