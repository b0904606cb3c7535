import { expect, test } from "bun:test"
import { Message, Models, RunRequest, RunStore, SessionStore } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { Agent } from "../../src/index.ts"
import * as ScriptedModel from "../ScriptedModel.ts"
import * as TestAgent from "../TestAgent.ts"

test("what is asked of a run is plain data: it comes back from JSON as it was", () => {
  const asked: RunRequest = {
    ...TestAgent.request(ScriptedModel.make([]), { sessionId: "s1", prompt: 'say "ünïcode"' }),
    allowEmptyAnswer: true,
    restricted: true
  }
  const text = Schema.encodeSync(Schema.fromJsonString(RunRequest))(asked)
  expect(Schema.decodeUnknownSync(Schema.fromJsonString(RunRequest))(text)).toEqual(asked)
})

test("a model that does not exist is an error, and nothing is stored or told", async () => {
  await TestAgent.test(
    Effect.gen(function* () {
      const events = yield* TestAgent.collect
      const agent = yield* Agent
      const sessions = yield* SessionStore
      const runs = yield* RunStore
      const scripted = ScriptedModel.make([{ text: "hello" }])
      for (const model of ["fake/none", "nobody/x", "nothing", ""]) {
        const asked = TestAgent.request(scripted, { sessionId: "s1", model })
        expect(yield* Effect.flip(agent.run(asked))).toMatchObject({ _tag: "ModelNotFound" })
      }
      expect(events).toEqual([])
      expect((yield* runs.list()).items).toEqual([])
      expect(yield* Effect.flip(sessions.get("s1"))).toMatchObject({ _tag: "SessionNotFound" })
      // The session is free for the next.
      const { finished } = yield* agent.run(TestAgent.request(scripted, { sessionId: "s1" }))
      expect(finished).toMatchObject({ status: "completed", text: "hello" })
    })
  )
})

test("a run whose model is gone goes on waiting; it can be refused all the same", async () => {
  await TestAgent.test(
    Effect.gen(function* () {
      const risky = TestAgent.tool("risky", undefined, {
        spec: { requires_confirmation: true, mutates_data: true }
      })
      yield* TestAgent.register(risky)
      const agent = yield* Agent
      const scripted = ScriptedModel.make([{ calls: [{ name: "risky" }] }, { text: "done" }])
      const provider = yield* Scope.make()
      yield* (yield* Models)
        .register({ name: "passing", model: () => Effect.succeed(scripted.model) })
        .pipe(Scope.provide(provider))
      const asked = TestAgent.request(scripted, {
        sessionId: "s1",
        model: "passing/m",
        permission: "workspace-write"
      })
      const { finished } = yield* agent.run(asked)
      expect(finished.status).toBe("waiting_approval")
      yield* Scope.close(provider, Exit.void)

      const approve = agent.resume(finished.run_id, { _tag: "Approved" })
      expect(yield* Effect.flip(approve)).toMatchObject({ _tag: "ModelNotFound", id: "passing/m" })
      expect((yield* (yield* RunStore).get(finished.run_id)).status).toBe("waiting_approval")
      const end = yield* agent.resume(finished.run_id, { _tag: "Refused", end: true })
      expect(end.finished.status).toBe("cancelled")
      const results = (yield* (yield* SessionStore).messages("s1")).flatMap(Message.toolResultsOf)
      expect(results.map(({ status }) => status)).toEqual(["denied"])
    })
  )
})
