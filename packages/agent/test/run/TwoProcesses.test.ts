import { describe, expect, test } from "bun:test"
import {
  Message,
  type Model,
  RunOwner,
  RunStore,
  SessionStore,
  ToolManager,
  ToolSelector,
  Transcript
} from "@cow/core"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Agent, RunClaim } from "../../src/index.ts"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

const owner = (pid: number): RunOwner.RunOwner => ({ ...RunOwner.anonymous(), machine: "m", pid })

/** The agents of two processes, `first` with pid 1 and `second` with pid 2, over the same stores. */
const two = Effect.fnUntraced(function* (
  given: TestAgent.Layers & { readonly renewEvery?: Duration.Input } = {}
) {
  const sessions = yield* SessionStore
  const runs = yield* RunStore
  const shared = { sessions: Layer.succeed(SessionStore, sessions), runs: Layer.succeed(RunStore, runs) }
  const process = Effect.fnUntraced(function* (pid: number) {
    const references = Layer.mergeAll(
      Layer.succeed(RunOwner.current, owner(pid)),
      Layer.succeed(RunClaim.renewEvery, Duration.fromInputUnsafe(given.renewEvery ?? "5 seconds"))
    )
    const layer = Layer.fresh(TestAgent.bare({ ...given, ...shared })).pipe(Layer.provideMerge(references))
    const context = yield* Layer.build(layer)
    const events = yield* Effect.provideContext(TestAgent.collect, context)
    return { agent: Context.get(context, Agent), manager: Context.get(context, ToolManager), events }
  })
  return { sessions, runs, first: yield* process(1), second: yield* process(2) }
})

const request = (scripted: ScriptedModel.ScriptedModel, prompt: string) =>
  TestAgent.request(scripted, { sessionId: "s1", prompt })

const texts = (sessions: SessionStore["Service"]) =>
  Effect.map(sessions.messages("s1"), (messages) => messages.map(Message.textOf))

/** A model that says when it was asked, and answers when it is told. */
const held = Effect.gen(function* () {
  const asked = yield* Deferred.make<void>()
  const answer = yield* Deferred.make<void>()
  const pause = Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answer))
  return { asked: Deferred.await(asked), answer: Deferred.succeed(answer, undefined), pause }
})

describe("two processes on one session", () => {
  test("the second is told who has it, and gets it when the first is done", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { first, runs, second, sessions } = yield* two()
        const { answer, asked, pause } = yield* held
        const slow = ScriptedModel.make([{ text: "one", pause }])
        const run = yield* Effect.forkChild(first.agent.run(request(slow, "a")))
        yield* asked
        // However long: the first is heard of all the time.
        yield* TestClock.adjust("10 minutes")
        const quick = ScriptedModel.make([{ text: "two" }])
        const refused = yield* Effect.flip(second.agent.run(request(quick, "b")))
        expect(refused).toMatchObject({ _tag: "SessionBusy", sessionId: "s1", owner: { pid: 1 } })
        expect(refused.message).toMatch(/^session s1 is being worked on by process 1 \(run run_\w+\)$/)
        expect(second.events).toEqual([])
        yield* answer
        expect((yield* Fiber.join(run)).finished.status).toBe("completed")
        expect((yield* second.agent.run(request(quick, "b"))).finished.status).toBe("completed")
        expect(yield* texts(sessions)).toEqual(["a", "one", "b", "two"])
        expect((yield* runs.list()).items.map(({ startsAt, status }) => [status, startsAt])).toEqual([
          ["completed", 2],
          ["completed", 0]
        ])
      })
    )
  })

  test("who was not heard of for the length of a lease has lost it, and ends without damage", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        // As a machine that was suspended in the middle of a reply.
        const { first, runs, second, sessions } = yield* two({ renewEvery: "1 hour" })
        const { answer, asked, pause } = yield* held
        const call = ScriptedModel.make([{ calls: [{ name: "echo" }], pause }])
        const run = yield* Effect.forkChild(first.agent.run(request(call, "a")))
        yield* asked
        yield* TestClock.adjust("14 seconds")
        const quick = ScriptedModel.make([{ text: "two" }])
        expect((yield* Effect.flip(second.agent.run(request(quick, "b"))))._tag).toBe("SessionBusy")
        yield* TestClock.adjust("1 second")
        expect((yield* second.agent.run(request(quick, "b"))).finished.status).toBe("completed")
        yield* answer
        const { failure, finished } = yield* Fiber.join(run)
        expect([finished.status, failure]).toEqual(["failed", "session_lost"])
        expect(finished.error).toMatch(/^another process has written to session s1/)
        const messages = yield* sessions.messages("s1")
        expect(messages.map(Message.textOf)).toEqual(["a", "b", "two"])
        expect(Transcript.isValid(messages)).toBe(true)
        // The lost call was never made, and was told to be over.
        expect(TestAgent.ofType(first.events, "tool_finished")).toMatchObject([{ status: "cancelled" }])
        expect(TestAgent.ofType(first.events, "error").map(({ code }) => code)).toEqual(["session_lost"])
        expect(TestAgent.ofType(first.events, "run_finished").length).toBe(1)
        const ended = yield* runs.get(finished.run_id)
        expect([ended.status, ended.error]).toEqual(["failed", "interrupted"])
      })
    )
  })

  test("who hangs in a tool notices the loss by the next renewal", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { first, second, sessions } = yield* two({ renewEvery: "20 seconds" })
        const started = yield* Deferred.make<void>()
        const ended: Array<string> = []
        const hang = TestAgent.tool(
          "hang",
          () =>
            Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
              Effect.onInterrupt(() => Effect.sync(() => ended.push("interrupted")))
            ),
          { timeout: Duration.infinity }
        )
        yield* first.manager.register({ _tag: "Builtin" }, [hang])
        const run = yield* Effect.forkChild(
          first.agent.run(request(ScriptedModel.make([{ calls: [{ name: "hang" }] }]), "a"))
        )
        yield* Deferred.await(started)
        yield* TestClock.adjust("16 seconds")
        const quick = ScriptedModel.make([{ text: "two" }])
        expect((yield* second.agent.run(request(quick, "b"))).finished.status).toBe("completed")
        expect(ended).toEqual([])
        yield* TestClock.adjust("4 seconds")
        const { failure, finished } = yield* Fiber.join(run)
        expect([finished.status, failure, ended]).toEqual(["failed", "session_lost", ["interrupted"]])
        expect(finished.error).toContain("given up for dead")
        const messages = yield* sessions.messages("s1")
        expect(messages.map(Message.textOf)).toEqual(["a", "", "", "b", "two"])
        expect(messages.flatMap(Message.toolResultsOf).length).toBe(1)
        expect(Transcript.isValid(messages)).toBe(true)
      })
    )
  })

  test("a writer without a claim costs the run, and nothing of what was written", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { first, runs, sessions } = yield* two()
        const { answer, asked, pause } = yield* held
        const slow = ScriptedModel.make([{ text: "mine", pause }, { text: "later" }])
        const run = yield* Effect.forkChild(first.agent.run(request(slow, "a")))
        yield* asked
        const { revision } = yield* sessions.load("s1")
        yield* sessions.write("s1", { revision, keep: 1, messages: [Message.assistantText("theirs")] })
        yield* answer
        const { failure, finished } = yield* Fiber.join(run)
        expect([finished.status, failure]).toEqual(["failed", "session_lost"])
        expect((yield* runs.get(finished.run_id)).status).toBe("failed")
        expect(yield* texts(sessions)).toEqual(["a", "theirs"])
        expect((yield* first.agent.run(request(slow, "b"))).finished.status).toBe("completed")
        expect(yield* texts(sessions)).toEqual(["a", "theirs", "b", "later"])
      })
    )
  })

  test("a session that is deleted under a run costs the run only", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { first, sessions } = yield* two()
        const { answer, asked, pause } = yield* held
        const slow = ScriptedModel.make([{ text: "mine", pause }, { text: "later" }])
        const run = yield* Effect.forkChild(first.agent.run(request(slow, "a")))
        yield* asked
        yield* sessions.remove("s1")
        yield* answer
        const { failure, finished } = yield* Fiber.join(run)
        expect([finished.status, failure]).toEqual(["failed", "session_lost"])
        expect(finished.error).toContain("was deleted")
        expect((yield* first.agent.run(request(slow, "b"))).finished.status).toBe("completed")
        expect(yield* texts(sessions)).toEqual(["b", "later"])
      })
    )
  })

  test("what is said while another process answers an approval is taken once or refused, and never lost", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { first, second, sessions } = yield* two()
        const risky = TestAgent.tool("risky", undefined, {
          spec: { requires_confirmation: true, mutates_data: true }
        })
        for (const { manager } of [first, second]) yield* manager.register({ _tag: "Builtin" }, [risky])
        const scripted = ScriptedModel.make([{ calls: [{ name: "risky" }] }, { text: "done" }])
        const asked = { ...request(scripted, "a"), permission: "workspace-write" as const }
        const { finished } = yield* first.agent.run(asked)
        expect(finished.status).toBe("waiting_approval")
        const said = Array.from({ length: 5 }, (_, at) => `word ${at}`)
        const [end, outcomes] = yield* Effect.all(
          [
            second.agent.resume(finished.run_id, { _tag: "Approved" }),
            Effect.forEach(said, (prompt) => Effect.result(first.agent.run({ ...asked, prompt })))
          ],
          { concurrency: "unbounded" }
        )
        expect(end.finished).toMatchObject({ status: "completed", text: "done" })
        const messages = yield* sessions.messages("s1")
        const all = messages.flatMap(({ parts }) =>
          parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
        )
        for (const [at, text] of said.entries())
          expect([text, all.filter((one) => one === text).length]).toEqual([
            text,
            outcomes[at]?._tag === "Success" ? 1 : 0
          ])
        expect(Transcript.isValid(messages)).toBe(true)
      })
    )
  })
})

describe("a session that goes on in another process", () => {
  const names = (requests: ReadonlyArray<Model.ModelRequest>) =>
    requests.map(({ tools }) => tools.map(({ name }) => name))

  test("sends the tools it has sent, in their order, as far as they are there", async () => {
    const kept: Array<ReadonlyArray<string>> = []
    /** Chooses one tool by name more with each step. */
    const selector = Layer.sync(ToolSelector, () => {
      let step = 0
      return {
        select: ({ kept: before }: { readonly kept: ReadonlySet<string> }) =>
          Effect.sync(() => {
            kept.push([...before].sort())
            const chosen = [["zeta", "alpha", "mid"][step++] ?? "zeta"]
            return {
              mode: "selected" as const,
              reason: "test",
              names: new Set([...before, ...chosen]),
              chosen
            }
          })
      }
    })
    await TestAgent.test(
      Effect.gen(function* () {
        const { first, second, sessions } = yield* two({ selector })
        const tools = ["alpha", "mid", "new", "zeta"].map((name) => TestAgent.tool(name))
        yield* first.manager.register({ _tag: "Builtin" }, tools)
        // In the other process one is gone.
        yield* second.manager.register(
          { _tag: "Builtin" },
          tools.filter(({ name }) => name !== "mid")
        )
        const one = ScriptedModel.make([
          { calls: [{ name: "zeta" }] },
          { calls: [{ name: "alpha" }] },
          { text: "done" }
        ])
        yield* first.agent.run(request(one, "a"))
        expect(names(one.requests)).toEqual([["zeta"], ["zeta", "alpha"], ["zeta", "alpha", "mid"]])
        expect((yield* sessions.load("s1")).tools).toEqual({
          sent: ["zeta", "alpha", "mid"],
          chosen: ["zeta", "alpha", "mid"]
        })
        kept.length = 0
        const other = ScriptedModel.make([{ text: "on" }])
        yield* second.agent.run(request(other, "b"))
        expect(kept).toEqual([["alpha", "mid", "zeta"]])
        expect(names(other.requests)).toEqual([["zeta", "alpha"]])
      })
    )
  })

  test("writes what it keeps of its tools only when it changed, with the messages", async () => {
    await TestAgent.test(
      Effect.gen(function* () {
        const { sessions: whole } = yield* two()
        const writes: Array<readonly [number, boolean]> = []
        const sessions = Layer.succeed(SessionStore, {
          ...whole,
          write: (id, write) => {
            writes.push([write.messages.length, write.tools !== undefined])
            return whole.write(id, write)
          }
        })
        const context = yield* Layer.build(Layer.fresh(TestAgent.bare({ sessions })))
        yield* Context.get(context, ToolManager).register({ _tag: "Builtin" }, [TestAgent.tool("echo")])
        const scripted = ScriptedModel.make([
          { calls: [{ name: "echo" }] },
          { text: "done" },
          { text: "again" }
        ])
        const agent = Context.get(context, Agent)
        yield* agent.run(request(scripted, "a"))
        yield* agent.run(request(scripted, "b"))
        expect(writes).toEqual([
          [0, false],
          [1, false],
          [1, true],
          [1, false],
          [1, false],
          [0, false],
          [1, false],
          [1, false]
        ])
      })
    )
  })
})
