import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { type ApprovalAnswer, Approver, Events, Model, Models, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { McpManager } from "../../src/McpManager.ts"
import * as ApprovedSampler from "../../src/requests/ApprovedSampler.ts"
import { type ElicitationForm, Elicitor } from "../../src/requests/Elicitor.ts"
import { call, Home } from "../Fixture.ts"

let home: Home
beforeEach(() => {
  home = new Home()
  const server = join(import.meta.dir, "..", "fixtures", "asking-server.ts")
  home.write({ s: { command: process.execPath, args: [server] } })
})
afterEach(() => home.remove())

/** What the client answers the server to this request. */
const answerTo = (what: string, provided: Layer.Layer<never> = Layer.empty) =>
  Effect.gen(function* () {
    const manager = yield* McpManager
    yield* manager.waitSettled(20)
    const result = yield* call(`mcp__s__${what}`)
    return JSON.parse(ToolResult.textOf(result))
  }).pipe(Effect.provide(Layer.provide(home.layer(), provided)), Effect.runPromise)

describe("a server that asks", () => {
  test("for a sign of life gets it", async () => {
    expect(await answerTo("ping")).toEqual({})
  })

  test("what nobody has declared is told that there is no such method", async () => {
    expect(await answerTo("unknown")).toMatchObject({ code: -32601 })
  })

  test("for a model call is told the same, as long as that is off", async () => {
    expect(await answerTo("sample")).toMatchObject({ code: -32601 })
  })

  test("for a form is declined where nobody is", async () => {
    expect(await answerTo("form")).toEqual({ action: "decline" })
  })

  test("for a form gets what the user filled in, and the form's defaults for the rest", async () => {
    const forms: Array<ElicitationForm> = []
    const elicitor = Layer.succeed(Elicitor, {
      ask: (form) => {
        forms.push(form)
        return Effect.succeed({ _tag: "Accepted", content: { name: "Ada" } })
      }
    })
    expect(await answerTo("form", elicitor)).toEqual({ action: "accept", content: { name: "Ada", age: 30 } })
    expect(forms).toMatchObject([{ server: "s", message: "Who are you?" }])
  })
})

describe("a model call that a server asks for", () => {
  const sampling = (answer: ApprovalAnswer, seen: { request?: Model.ModelRequest } = {}) => {
    const reply: ReadonlyArray<Model.ModelEvent> = [
      { _tag: "TextDelta", block: "1", text: "hel" },
      { _tag: "TextDelta", block: "1", text: "lo" },
      { _tag: "Finish", reason: "length", usage: Model.noUsage }
    ]
    const models = Layer.mock(Models, {
      get: (id) =>
        Effect.succeed({
          id,
          takesImages: true,
          stream: (request) => {
            seen.request = request
            return Stream.fromIterable(reply)
          }
        })
    })
    const approver = Layer.succeed(Approver, { ask: () => Effect.succeed(answer) })
    return ApprovedSampler.layer("test/model").pipe(
      Layer.provide(Layer.mergeAll(models, approver, Events.layer))
    )
  }

  test("is made once the user has approved, without tools", async () => {
    const seen: { request?: Model.ModelRequest } = {}
    expect(await answerTo("sample", sampling({ _tag: "Approved" }, seen))).toEqual({
      role: "assistant",
      model: "test/model",
      stopReason: "maxTokens",
      content: { type: "text", text: "hello" }
    })
    expect(seen.request).toEqual({
      system: [{ text: "be brief", stable: false }],
      messages: [{ role: "user", parts: [{ type: "text", text: "hi" }] }],
      tools: [],
      toolChoice: "none"
    })
  })

  for (const answer of [{ _tag: "Refused" }, { _tag: "Unattended" }] as const)
    test(`is not made when the answer is ${answer._tag}`, async () => {
      const seen: { request?: Model.ModelRequest } = {}
      const told = await answerTo("sample", sampling(answer, seen))
      expect(told.code).toBeLessThan(0)
      expect(told.message).toContain("the call")
      expect(seen.request).toBeUndefined()
    })
})
