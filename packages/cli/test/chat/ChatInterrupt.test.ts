import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Cow } from "../support/Cow.ts"
import { Provider } from "../support/Provider.ts"

setDefaultTimeout(60_000)

const ctrlC = "\u0003"

describe("a person's chat", () => {
  test("Ctrl-C during an answer cancels the answer, and the chat goes on", async () => {
    using model = new Provider([{ text: "Once upon a", hang: true }, { text: "Second answer." }])
    using cow = new Cow(model.config)
    const chat = cow.terminal([])
    await chat.seen("› ")
    chat.type("tell me\n")
    await chat.seen("Once upon a")
    chat.type(ctrlC)
    await chat.seen("› ")
    chat.type("again\n")
    await chat.seen("Second answer.")
    await chat.seen("› ")
    chat.type(ctrlC)
    await chat.seen("Ctrl-C again")
    chat.type(ctrlC)
    expect(await chat.exited).toBe(0)
  })

  test("a typed answer reaches the question, and text that is none is kept for the next message", async () => {
    using model = new Provider([{ command: "touch made" }, { text: "First done." }, { text: "Second done." }])
    using cow = new Cow(model.config)
    const chat = cow.terminal(["chat"])
    await chat.seen("› ")
    chat.type("go\n")
    await chat.seen("waits for your approval")
    chat.type("and then the tests\n")
    await chat.seen("kept for the next message")
    chat.type("yes\n")
    await chat.seen("First done.")
    await chat.seen("Second done.")
    expect(existsSync(join(cow.workspace, "made"))).toBe(true)
    expect(model.requests[2]).toContain("and then the tests")
    chat.type("/quit\n")
    expect(await chat.exited).toBe(0)
  })
})
