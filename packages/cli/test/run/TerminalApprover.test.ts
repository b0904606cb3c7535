import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Approver } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TerminalApprover from "../../src/run/TerminalApprover.ts"
import { Output } from "../../src/terminal/Output.ts"
import * as Questions from "../../src/terminal/Questions.ts"
import { Cow } from "../support/Cow.ts"
import { Provider } from "../support/Provider.ts"

setDefaultTimeout(60_000)

const replies = [{ command: "touch made" }, { text: "All done." }]

describe("cow run on a terminal", () => {
  test("asks, and goes on with a yes", async () => {
    using model = new Provider(replies)
    using cow = new Cow(model.config)
    const run = cow.terminal(["run", "--permission", "workspace-write", "go"])
    await run.seen("touch made")
    await run.seen("allow bash?")
    run.type("what?\n")
    await run.seen("yes, or no")
    run.type("yes\n")
    await run.seen("All done.")
    expect(await run.exited).toBe(0)
    expect(existsSync(join(cow.workspace, "made"))).toBe(true)
  })

  test("a no and its reason reach the model", async () => {
    using model = new Provider(replies)
    using cow = new Cow(model.config)
    const run = cow.terminal(["run", "go"])
    await run.seen("allow bash?")
    run.type("no, use echo\n")
    await run.seen("All done.")
    expect(await run.exited).toBe(0)
    expect(existsSync(join(cow.workspace, "made"))).toBe(false)
    expect(model.requests[1]).toContain("use echo")
  })

  test("at the end of input the run waits and the command ends with 58, as without a terminal", async () => {
    using model = new Provider(replies)
    using cow = new Cow(model.config)
    const run = cow.terminal(["run", "go"])
    await run.seen("allow bash?")
    run.type("\u0004")
    expect(await run.exited).toBe(58)
    using another = new Provider(replies)
    using elsewhere = new Cow(another.config)
    expect((await elsewhere.run(["run", "go"])).code).toBe(58)
  })
})

describe("TerminalApprover", () => {
  test("what was typed before the question answers nothing", async () => {
    const said: Array<string> = []
    const quiet = (text: string) => Effect.sync(() => void said.push(text))
    const output = Layer.mock(Output, { rawNote: quiet, note: quiet, colours: false })
    const late = Stream.fromEffect(Effect.delay(Effect.succeed("no"), "400 millis"))
    const lines = Stream.concat(Stream.make("yes", "yes"), late)
    const ask = Effect.flatMap(Approver, (approver) =>
      approver.ask("r", { callId: "c", tool: "bash", server: "", input: {}, reason: "" })
    )
    const answer = await Effect.runPromise(
      Effect.provide(
        ask,
        TerminalApprover.layer.pipe(Layer.provide(Questions.layerOf(lines)), Layer.provide(output))
      )
    )
    expect(answer).toEqual({ _tag: "Refused" })
    expect(said.length).toBe(1)
  })
})
