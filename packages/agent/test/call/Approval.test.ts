import { describe, expect, test } from "bun:test"
import {
  type ApprovalAnswer,
  Approver,
  Message,
  RunStore,
  SessionStore,
  type Tool,
  ToolGate,
  ToolResult,
  Transcript
} from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agent } from "../../src/index.ts"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

const asking = { spec: { requires_confirmation: true, mutates_data: true } }

/** A run with three calls, the second and third of which need a person. */
const stage = Effect.gen(function* () {
  const ran: Array<string> = []
  const risky = TestAgent.tool(
    "risky",
    (input) =>
      Effect.as(
        Effect.sync(() => ran.push(String(input.text))),
        ToolResult.ok("done")
      ),
    asking
  )
  yield* TestAgent.register(risky, TestAgent.tool("echo"))
  const events = yield* TestAgent.collect
  const agent = yield* Agent
  const calls = [
    { name: "risky", input: { text: "1" } },
    { name: "echo", input: { text: "2" } },
    { name: "risky", input: { text: "3" } }
  ]
  const scripted = ScriptedModel.make([{ calls }, { text: "finished" }])
  const request = TestAgent.request(scripted, { sessionId: "s1", permission: "workspace-write" })
  return { agent, events, ran, request, scripted, sessions: yield* SessionStore, runs: yield* RunStore }
})

describe("a call that needs a person", () => {
  test("with nobody to ask the run waits, stored, with the answers that need nobody", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { agent, events, ran, request, runs, sessions } = yield* stage
        const { finished } = yield* agent.run(request)
        expect(finished.status).toBe("waiting_approval")
        expect(ran).toEqual([])
        expect(TestAgent.ofType(events, "approval_requested")).toMatchObject([
          { run_id: finished.run_id, tool: "risky", input: { text: "1" } }
        ])
        expect(TestAgent.ofType(events, "tool_finished")).toMatchObject([{ tool: "echo", status: "ok" }])
        const run = yield* runs.get(finished.run_id)
        expect(run).toMatchObject({
          status: "waiting_approval",
          pending: { tool: "risky", input: { text: "1" } }
        })
        const stored = (yield* sessions.messages("s1")).flatMap(Message.toolResultsOf)
        expect(stored.map(({ name }) => name)).toEqual(["echo"])
      })
    )
  })

  test("approved one after the other, each runs once, and all results go to the model in call order", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { agent, ran, request, scripted, sessions } = yield* stage
        const { finished } = yield* agent.run(request)
        const approve = agent.resume(finished.run_id, { _tag: "Approved" })
        expect((yield* approve).finished.status).toBe("waiting_approval")
        expect(ran).toEqual(["1"])
        const end = yield* approve
        expect(end.finished).toMatchObject({
          status: "completed",
          text: "finished",
          run_id: finished.run_id,
          steps: 2
        })
        expect(ran).toEqual(["1", "3"])
        expect(ScriptedModel.newResults(scripted.requests[1]).map(ScriptedModel.resultText)).toEqual([
          "done",
          "echo:2",
          "done"
        ])
        expect(Transcript.isValid(yield* sessions.messages("s1"))).toBe(true)
        expect((yield* Effect.flip(approve))._tag).toBe("NotWaiting")
        expect(ran.length).toBe(2)
      })
    )
  })

  test("denied and ended: no call runs, every call is answered, and the run is cancelled", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { agent, ran, request, runs, scripted, sessions } = yield* stage
        const { finished } = yield* agent.run(request)
        const end = yield* agent.resume(finished.run_id, { _tag: "Refused", end: true })
        expect(end.finished.status).toBe("cancelled")
        expect(ran).toEqual([])
        expect((yield* runs.get(finished.run_id)).status).toBe("cancelled")
        const messages = yield* sessions.messages("s1")
        expect(messages.flatMap(Message.toolResultsOf).map(({ status }) => status)).toEqual([
          "denied",
          "ok",
          "cancelled"
        ])
        expect(Transcript.isValid(messages)).toBe(true)
        expect(scripted.requests.length).toBe(1)
      })
    )
  })

  test("refused but not ended: the model reads the refusal and goes on", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { agent, ran, request, scripted } = yield* stage
        const { finished } = yield* agent.run(request)
        yield* agent.resume(finished.run_id, { _tag: "Refused", end: false })
        const end = yield* agent.resume(finished.run_id, { _tag: "Refused", end: false })
        expect(end.finished).toMatchObject({ status: "completed", text: "finished" })
        expect(ran).toEqual([])
        const [first] = ScriptedModel.newResults(scripted.requests[1])
        expect(JSON.parse(ScriptedModel.resultText(first))).toMatchObject({ reason: "denied_by_person" })
      })
    )
  })

  test("what is said meanwhile asks the same question again, and reaches the model after the answer", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { agent, events, ran, request, scripted, sessions } = yield* stage
        const { finished } = yield* agent.run(request)
        const again = yield* agent.run({ ...request, prompt: "and hurry" })
        expect(again.finished).toEqual(finished)
        expect(yield* agent.steer("s1", "please")).toBe("accepted")
        expect(yield* agent.steer("s1", " ")).toBe("invalid")
        const asked = TestAgent.ofType(events, "approval_requested")
        expect(asked.length).toBe(3)
        expect(asked[1]).toEqual(asked[0] as never)
        expect(asked[2]).toEqual(asked[0] as never)
        expect(ran).toEqual([])
        expect(scripted.requests.length).toBe(1)
        expect(Transcript.isValid(yield* sessions.messages("s1"))).toBe(false)

        const approve = agent.resume(finished.run_id, { _tag: "Approved" })
        yield* approve
        const end = yield* approve
        expect(end.finished.status).toBe("completed")
        expect(ran).toEqual(["1", "3"])
        const last = scripted.requests[1]?.messages.at(-1) as Message.Message
        expect(last.parts.map(({ type }) => type)).toEqual([
          "tool_result",
          "tool_result",
          "tool_result",
          "text",
          "text"
        ])
        expect(Message.textOf(last)).toBe("and hurry\nplease")
        expect(Transcript.isValid(yield* sessions.messages("s1"))).toBe(true)
      })
    )
  })

  test("no more than sixteen texts wait for an answer", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { agent, request } = yield* stage
        yield* agent.run(request)
        const outcomes = yield* Effect.forEach(Array.from({ length: 17 }), (_, at) =>
          agent.steer("s1", `t${at}`)
        )
        expect(outcomes.slice(0, 16).every((outcome) => outcome === "accepted")).toBe(true)
        expect(outcomes[16]).toBe("full")
      })
    )
  })

  test("cancelled while it waits: the calls are answered as cancelled before they started", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { agent, ran, request, sessions } = yield* stage
        const { finished } = yield* agent.run(request)
        const end = yield* agent.resume(finished.run_id, { _tag: "Cancelled" })
        expect(end.finished.status).toBe("cancelled")
        const messages = yield* sessions.messages("s1")
        const results = messages.flatMap(Message.toolResultsOf)
        expect(results.map(({ status }) => status)).toEqual(["cancelled", "ok", "cancelled"])
        expect(ScriptedModel.resultText(results[0])).toContain("before it started")
        expect(Transcript.isValid(messages)).toBe(true)
        expect(ran).toEqual([])
      })
    )
  })

  /** A run that waits for `risky`, whose tool is then replaced. */
  const changedMeanwhile = (next: (ran: Array<string>) => ReadonlyArray<Tool.Tool>) =>
    Effect.gen(function* () {
      const ran: Array<string> = []
      const run = (name: string) => () =>
        Effect.as(
          Effect.sync(() => ran.push(name)),
          ToolResult.ok(name)
        )
      const registration = yield* TestAgent.register(TestAgent.tool("risky", run("old"), asking))
      const events = yield* TestAgent.collect
      const agent = yield* Agent
      const scripted = ScriptedModel.make([{ calls: [{ name: "risky" }] }, { text: "went on" }])
      const request = TestAgent.request(scripted, { sessionId: "s1", permission: "workspace-write" })
      const { finished } = yield* agent.run(request)
      yield* registration.replace(next(ran))
      const approve = agent.resume(finished.run_id, { _tag: "Approved" })
      return { agent, approve, events, ran, runId: finished.run_id, scripted }
    })

  const noted = (ran: Array<string>) => () =>
    Effect.as(
      Effect.sync(() => ran.push("new")),
      ToolResult.ok("new")
    )

  test("an answer does not hold for another definition of the tool: it is asked anew", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { approve, events, ran } = yield* changedMeanwhile((ran) => [
          TestAgent.tool("risky", noted(ran), { ...asking, description: "Now it also mails it" })
        ])
        expect((yield* approve).finished.status).toBe("waiting_approval")
        expect(ran).toEqual([])
        expect(TestAgent.ofType(events, "approval_requested").length).toBe(2)
        expect((yield* approve).finished).toMatchObject({ status: "completed", text: "went on" })
        expect(ran).toEqual(["new"])
      })
    )
  })

  test("a server that came back with the same definition is found by name", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { approve, ran } = yield* changedMeanwhile((ran) => [
          TestAgent.tool("risky", noted(ran), asking)
        ])
        expect((yield* approve).finished.status).toBe("completed")
        expect(ran).toEqual(["new"])
      })
    )
  })

  test("a tool that is gone is denied, and the run goes on", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { approve, ran, scripted } = yield* changedMeanwhile(() => [])
        expect((yield* approve).finished).toMatchObject({ status: "completed", text: "went on" })
        const [result] = ScriptedModel.newResults(scripted.requests[1])
        expect(result?.status).toBe("denied")
        expect(ScriptedModel.resultText(result)).toContain("not_registered")
        expect(ran).toEqual([])
      })
    )
  })

  test("a refusal holds whatever became of the tool", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { agent, runId, scripted } = yield* changedMeanwhile(() => [])
        yield* agent.resume(runId, { _tag: "Refused", end: false })
        const [result] = ScriptedModel.newResults(scripted.requests[1])
        expect(ScriptedModel.resultText(result)).toContain("denied_by_person")
      })
    )
  })

  test("a grant that is taken away while a person thinks counts", async () => {
    let granted = true
    const gate = Layer.succeed(
      ToolGate,
      ToolGate.each(() =>
        Effect.sync(() =>
          granted
            ? { _tag: "Confirm" as const, reason: "ask", trace: [] }
            : { _tag: "Deny" as const, reason: "not_granted" as const, detail: "no more", trace: [] }
        )
      )
    )
    const approver = Layer.succeed(Approver, {
      ask: () =>
        Effect.sync(() => {
          granted = false
          return { _tag: "Approved" as const }
        })
    })
    await TestAgent.test(
      Effect.gen(function* () {
        const { agent, ran, request, scripted } = yield* stage
        yield* agent.run(request)
        expect(ran).toEqual([])
        expect(ScriptedModel.newResults(scripted.requests[1]).map(ScriptedModel.resultText)[0]).toContain(
          "not_granted"
        )
      }),
      { approver, gate }
    )
  })

  test("with somebody to ask the run goes on in place, one question after the other", async () => {
    const asked: Array<string> = []
    const answers: Array<ApprovalAnswer> = [{ _tag: "Approved" }, { _tag: "Refused" }]
    const approver = Layer.succeed(Approver, {
      ask: (_, pending) =>
        Effect.sync(() => {
          asked.push(String(pending.input.text))
          return answers.shift() ?? { _tag: "Unattended" }
        })
    })
    await TestAgent.test(
      Effect.gen(function* () {
        const { agent, ran, request, scripted } = yield* stage
        const { finished } = yield* agent.run(request)
        expect(finished).toMatchObject({ status: "completed", text: "finished" })
        expect(asked).toEqual(["1", "3"])
        expect(ran).toEqual(["1"])
        expect(ScriptedModel.newResults(scripted.requests[1]).map(({ status }) => status)).toEqual([
          "ok",
          "ok",
          "denied"
        ])
      }),
      { approver }
    )
  })
})

describe("a single call", () => {
  const single = (
    permission: "workspace-write" | "full-access",
    name = "risky",
    input: Record<string, string> = { text: "x" }
  ) =>
    Effect.gen(function* () {
      const { agent, ran } = yield* stage
      const outcome = yield* agent.call({
        name,
        input,
        persona: "default",
        permission,
        workspace: "/nowhere"
      })
      return { agent, ran, outcome }
    })

  test("runs through the same checks and gives its result", async () => {
    const { outcome, ran } = await TestAgent.test(single("full-access"))
    expect(outcome).toMatchObject({ tool: "risky", result: { _tag: "Ok" }, runId: null })
    expect(ran).toEqual(["x"])
  })

  test("an unknown tool is an error", async () => {
    const { outcome } = await TestAgent.test(single("full-access", "nope"))
    expect(outcome.result._tag).toBe("Failed")
  })

  test("one that needs a person becomes a run that waits, and its approval makes the call", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { agent, outcome, ran } = yield* single("workspace-write")
        expect(outcome.result).toMatchObject({
          _tag: "Denied",
          structured: { status: "waiting_approval", run_id: outcome.runId }
        })
        expect(ran).toEqual([])
        const nobody = ScriptedModel.make([])
        const { finished } = yield* agent.resume(outcome.runId ?? "", { _tag: "Approved" })
        expect(finished).toMatchObject({ status: "completed", text: "done" })
        expect(ran).toEqual(["x"])
        expect(nobody.requests.length).toBe(0)
      })
    )
  })
})
