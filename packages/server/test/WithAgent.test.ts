import { expect, test } from "bun:test"
import { Agent, SchemaValidatorAjv } from "@cow/agent"
import {
  Approver,
  Events,
  type Model,
  Models,
  PersonaStore,
  PromptSections,
  RunStore,
  SessionStore,
  SkillCatalog,
  Tool,
  ToolManager,
  ToolResult,
  ToolSelector,
  ToolServers,
  UnknownToolAdvice
} from "@cow/core"
import { PolicyGate } from "@cow/policy"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { makeHandler } from "../src/index.ts"
import { errorOf, linesOf, settings } from "./ServerTest.ts"

const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0 }

/** Calls `change` once, then answers; asked to `stall`, it streams one word and no more. */
const reply = ({ messages }: Model.ModelRequest): Stream.Stream<Model.ModelEvent> => {
  const text = JSON.stringify(messages)
  if (text.includes("stall"))
    return Stream.concat(Stream.make({ _tag: "TextDelta", block: "0", text: "so" } as const), Stream.never)
  return text.includes("tool_result")
    ? Stream.make(
        { _tag: "TextDelta", block: "0", text: "changed" },
        { _tag: "Finish", reason: "stop", usage }
      )
    : Stream.make(
        { _tag: "ToolCallStart", block: "0", id: "c1", name: "change" },
        { _tag: "ToolCallDelta", block: "0", arguments: '{"request":"it"}' },
        { _tag: "Finish", reason: "tool_calls", usage }
      )
}

const services = (calls: Array<string>) =>
  Layer.mergeAll(
    Layer.effectDiscard(
      Effect.gen(function* () {
        const { register } = yield* Models
        yield* register({
          name: "offline",
          model: (name) => Effect.succeed({ id: `offline/${name}`, takesImages: false, stream: reply })
        })
        yield* (yield* ToolManager).register({ _tag: "Builtin" }, [
          Tool.make({
            name: "change",
            description: "Changes it",
            spec: { requires_confirmation: true, mutates_data: true },
            run: () =>
              Effect.sync(() => {
                calls.push("changed")
                return ToolResult.ok("done")
              })
          })
        ])
      })
    ),
    PersonaStore.layerMemory,
    Agent.layer
  ).pipe(
    Layer.provide(PolicyGate.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        Approver.layerUnattended,
        Events.layer,
        Models.layer,
        BunServices.layer,
        PromptSections.layer,
        RunStore.layerMemory,
        SchemaValidatorAjv.layer,
        SessionStore.layerMemory,
        SkillCatalog.layerNone,
        ToolManager.layer,
        ToolSelector.layerAll,
        ToolServers.layerNone,
        UnknownToolAdvice.layer
      )
    )
  )

type Send = (path: string, json?: object) => Promise<Response>

/** `before`: what others have stored by then. */
const withServer = (
  body: (send: Send, calls: Array<string>) => Promise<void>,
  before: Effect.Effect<void, unknown, RunStore | SessionStore> = Effect.void
) => {
  const calls: Array<string> = []
  return Effect.gen(function* () {
    yield* before
    const handler = yield* makeHandler(settings)
    const send: Send = (path, json) =>
      handler(
        new Request(
          `http://127.0.0.1:4000${path}`,
          json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }
        )
      )
    yield* Effect.promise(() => body(send, calls))
  }).pipe(Effect.scoped, Effect.provide(services(calls)), Effect.runPromise)
}

/** Reads the run until it stands as wanted. */
const until = async (send: (path: string) => Promise<Response>, id: unknown, status: string) => {
  for (;;) {
    const run = (await (await send(`/api/runs/${id}`)).json()) as { status: string; error: string | null }
    if (run.status === status || ["failed", "completed", "cancelled"].includes(run.status)) return run
    await new Promise(setImmediate)
  }
}

test("a call that needs a person waits, is approved over HTTP, runs once, and the run ends by itself", () =>
  withServer(async (send, calls) => {
    const lines = await linesOf(await send("/api/runs", { prompt: "change it" }))
    expect(lines.at(-1)).toMatchObject({ type: "run_finished", status: "waiting_approval" })
    const id = lines[0]?.run_id
    expect(calls).toEqual([])
    const answer = await send(`/api/runs/${id}/approval`, { approved: true })
    expect(answer.status).toBe(200)
    expect(await until(send, id, "completed")).toMatchObject({ status: "completed", error: null })
    expect(calls).toEqual(["changed"])
    const { events } = (await (await send(`/api/runs/${id}/events`)).json()) as {
      events: ReadonlyArray<{ sequence: number; type: string; text?: string }>
    }
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1))
    expect(events.at(-1)).toMatchObject({ type: "run_finished", text: "changed" })
    expect((await send(`/api/runs/${id}/approval`, { approved: true })).status).toBe(409)
  }))

test("a waiting run that is cancelled over HTTP answers its call as cancelled, by nobody's refusal", () =>
  withServer(async (send, calls) => {
    const lines = await linesOf(await send("/api/runs", { prompt: "change it" }))
    const id = lines[0]?.run_id
    expect(await (await send(`/api/runs/${id}/cancel`, {})).json()).toMatchObject({ status: "cancelled" })
    const { events } = (await (await send(`/api/runs/${id}/events`)).json()) as {
      events: ReadonlyArray<{ type: string; status?: string; content?: string }>
    }
    const finished = events.filter(({ type }) => type === "tool_finished")
    expect(finished).toMatchObject([{ status: "cancelled" }])
    expect(finished[0]?.content).toContain("before it started")
    expect(calls).toEqual([])
  }))

test("a client that goes away in the middle of a reply leaves a cancelled run behind", () =>
  withServer(async (send) => {
    const response = await send("/api/runs", { prompt: "stall" })
    const reader = response.body?.getReader()
    let text = ""
    while (!text.includes("text_delta")) text += new TextDecoder().decode((await reader?.read())?.value)
    const { run_id } = JSON.parse(text.split("\n")[0] ?? "")
    await reader?.cancel()
    expect(await until(send, run_id, "cancelled")).toMatchObject({ status: "cancelled" })
  }))

/** A run that a process elsewhere works on, for so long from now. */
const elsewhere = Effect.fnUntraced(function* (lease: Duration.Duration) {
  yield* (yield* SessionStore).create({ id: "s-1", workspace: "/work" })
  yield* (yield* RunStore).create(
    {
      id: "r-elsewhere",
      sessionId: "s-1",
      status: "running",
      model: "offline/cow",
      persona: "default",
      permission: "read-only",
      workspace: "/work",
      maxSteps: 3,
      restricted: false,
      parent: null,
      steps: 1,
      startsAt: 0,
      usage,
      pending: null,
      error: null
    },
    { owner: { machine: "another", pid: 4711, startedAt: "1", token: "t" }, lease }
  )
})

test("a session that another process works on is busy, and its run is out of reach", () =>
  withServer(
    async (send) => {
      const codeOf = async (answer: Promise<Response>) => {
        const { error } = (await (await answer).json()) as { error: { code: string; message: string } }
        return [(await answer).status, error.code, error.message]
      }
      expect(await codeOf(send("/api/runs", { prompt: "hello", session: "s-1" }))).toEqual([
        409,
        "session_busy",
        expect.stringContaining("process 4711")
      ])
      const run = "/api/runs/r-elsewhere"
      for (const [path, body] of [
        [`${run}/cancel`, {}],
        [`${run}/steer`, { text: "left" }]
      ] as const)
        expect((await codeOf(send(path, body))).slice(0, 2)).toEqual([409, "run_not_active"])
      expect((await codeOf(send(`${run}/approval`, { approved: true })))[1]).toBe("invalid_approval")
      const { runs } = (await (await send("/api/runs?session=s-1")).json()) as { runs: ReadonlyArray<object> }
      expect(runs).toMatchObject([{ run_id: "r-elsewhere", status: "running", steps: 1 }])
    },
    elsewhere(Duration.minutes(1))
  ))

test("a run whose process is gone has failed: it is listed, shown and refused as that, and its session is free", () =>
  withServer(async (send) => {
    const gone = { run_id: "r-elsewhere", status: "failed", error: "interrupted" }
    for (const query of ["?status=failed", "?session=s-1", ""]) {
      const answer = await send(`/api/runs${query}`)
      expect(((await answer.json()) as { runs: ReadonlyArray<object> }).runs).toMatchObject([gone])
    }
    expect(await (await send("/api/runs/r-elsewhere")).json()).toMatchObject(gone)
    const cancelled = await send("/api/runs/r-elsewhere/cancel", {})
    expect(await errorOf(cancelled)).toBe("409 run_terminal")
    const lines = await linesOf(await send("/api/runs", { prompt: "change it", session: "s-1" }))
    expect(lines[0]).toMatchObject({ type: "run_started", session_id: "s-1" })
  }, elsewhere(Duration.zero)))

test("a run that is shown first is no longer running either, once its process is gone", () =>
  withServer(async (send) => {
    expect(await (await send("/api/runs/r-elsewhere")).json()).toMatchObject({ status: "failed" })
  }, elsewhere(Duration.zero)))
