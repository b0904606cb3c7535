import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { errorOf, type Harness, linesOf, withHandler } from "../ServerTest.ts"

const start = (send: Harness["send"], prompt: string, more: object = {}) =>
  send("POST", "/api/runs", { prompt, ...more })

/** Starts a run that hangs, and reads its first event. */
const hanging = async (send: Harness["send"]) => {
  const response = await start(send, "hang")
  const reader = response.body?.getReader()
  if (reader === undefined) throw new Error("no body")
  const { value } = await reader.read()
  const { run_id } = JSON.parse(new TextDecoder().decode(value)) as { run_id: string }
  return { reader, runId: run_id }
}

const json = async (response: Promise<Response>): Promise<Record<string, unknown>> =>
  (await (await response).json()) as Record<string, unknown>

describe("POST /api/runs", () => {
  test("streams the events, one JSON object a line, type first", () =>
    withHandler(async ({ log, send }) => {
      const response = await start(send, "hello", { persona: "p1", model: "offline/other" })
      expect(response.status).toBe(200)
      expect(response.headers.get("content-type")).toBe("application/x-ndjson")
      const lines = await linesOf(response)
      expect(lines.map(({ type }) => type)).toEqual(["run_started", "text_delta", "run_finished"])
      expect(Object.keys(lines[0] ?? {})[0]).toBe("type")
      expect(log.lines).toEqual(["run p1 workspace-write offline/other hello"])
    }))

  test("streams server-sent events to who asks for them", () =>
    withHandler(async ({ send }) => {
      const response = await send("POST", "/api/runs", { prompt: "hello" }, { accept: "text/event-stream" })
      expect(response.headers.get("content-type")).toBe("text/event-stream")
      const frames = (await response.text()).split("\n\n").filter((frame) => frame !== "")
      expect(frames).toHaveLength(3)
      expect(frames[1]).toBe('event: text_delta\ndata: {"type":"text_delta","text":"hello\\nyou"}')
    }))

  test("two runs at the same time do not see each other's events", () =>
    withHandler(async ({ send }) => {
      const [one, two] = await Promise.all([start(send, "hello"), start(send, "hello")])
      const ids = (lines: ReadonlyArray<Record<string, unknown>>) =>
        new Set(lines.flatMap(({ run_id }) => (run_id === undefined ? [] : [run_id])))
      const [first, second] = [await linesOf(one), await linesOf(two)]
      expect(first).toHaveLength(3)
      expect(second).toHaveLength(3)
      expect(ids(first).size).toBe(1)
      expect(ids(second)).not.toEqual(ids(first))
    }))

  test.each([
    [{ persona: "nobody" }, "404 persona_not_found"],
    [{ session: "none" }, "404 session_not_found"],
    [{ model: "none/x" }, "422 invalid_body"],
    [{ permission: "full-access" }, "422 invalid_body"],
    [{ permission: "some" }, "422 invalid_body"],
    [{ prompt: " \n" }, "422 invalid_body"]
  ])("%j is refused as %s, and nothing is started", (more, expected) =>
    withHandler(async ({ log, send }) => {
      expect(await errorOf(await start(send, "hello", more))).toBe(expected)
      expect(log.lines).toEqual([])
    })
  )

  test("a request may lower the permission mode, and continue a session", () =>
    withHandler(({ log, send, sessions }) =>
      Effect.gen(function* () {
        yield* sessions.create({ id: "s-1", workspace: "/work" })
        const response = yield* Effect.promise(() =>
          start(send, "hello", { session: "s-1", permission: "read-only" })
        )
        const [first] = yield* Effect.promise(() => linesOf(response))
        expect(first).toMatchObject({ session_id: "s-1", permission: "read-only" })
        expect(log.lines).toEqual(["run default read-only offline/cow hello"])
      })
    ))

  test("a run that cannot start is an error, not a stream", () =>
    withHandler(async ({ send }) => {
      expect(await errorOf(await start(send, "busy"))).toBe("409 session_busy")
    }))

  test("a run that breaks off ends its stream with an error that shows nothing of the inside", () =>
    withHandler(async ({ send }) => {
      const text = await (await start(send, "crash")).text()
      expect(text).toContain('"type":"error","code":"internal"')
      expect(text).not.toContain("secret")
    }))

  test("a client that goes away cancels the run", () =>
    withHandler(async ({ log, send }) => {
      const { reader, runId } = await hanging(send)
      await reader.cancel()
      expect(log.lines.at(-1)).toBe(`cancelled ${runId}`)
      expect(await json(send("GET", `/api/runs/${runId}`))).toMatchObject({ status: "cancelled" })
    }))

  test("closing the server cancels what is under way", async () => {
    let seen: Harness["log"] | undefined
    await withHandler(async ({ log, send }) => {
      seen = log
      await hanging(send)
    })
    expect(seen?.lines.at(-1)).toBe("cancelled r-1")
  })
})

describe("GET /api/runs", () => {
  interface Page {
    readonly runs: ReadonlyArray<{ readonly run_id: string; readonly session_id: string }>
    readonly next_cursor: string | null
  }
  const page = async (send: Harness["send"], query: string) => {
    const { next_cursor, runs } = (await json(send("GET", `/api/runs${query}`))) as unknown as Page
    return { ids: runs.map(({ run_id }) => run_id), next: next_cursor }
  }
  const startAll = async (send: Harness["send"], prompts: ReadonlyArray<string>) => {
    for (const prompt of prompts) await linesOf(await start(send, prompt))
  }

  test("lists the runs, the last created first, page by page to the end", () =>
    withHandler(async ({ send }) => {
      expect(await page(send, "")).toEqual({ ids: [], next: null })
      await startAll(send, ["hello", "wait", "hello", "wait", "hello"])
      expect(await page(send, "")).toEqual({ ids: ["r-5", "r-4", "r-3", "r-2", "r-1"], next: null })
      const seen: Array<ReadonlyArray<string>> = []
      let query = "?limit=2"
      for (;;) {
        const { ids, next } = await page(send, query)
        seen.push(ids)
        if (next === null) break
        query = `?limit=2&cursor=${encodeURIComponent(next)}`
        // What comes in while somebody turns pages moves nothing.
        await startAll(send, ["hello"])
      }
      expect(seen).toEqual([["r-5", "r-4"], ["r-3", "r-2"], ["r-1"]])
    }))

  test("lists those of a session, and those that stand alike, with what each waits for", () =>
    withHandler(async ({ send }) => {
      await startAll(send, ["hello", "wait", "hello", "wait"])
      expect(await page(send, "?status=waiting_approval&limit=1")).toMatchObject({ ids: ["r-4"] })
      expect(await page(send, "?status=waiting_approval")).toEqual({ ids: ["r-4", "r-2"], next: null })
      const { runs } = (await json(send("GET", "/api/runs?status=completed"))) as unknown as Page
      expect(runs.map(({ run_id }) => run_id)).toEqual(["r-3", "r-1"])
      for (const session of new Set(runs.map(({ session_id }) => session_id)))
        expect(await page(send, `?session=${session}&status=completed`)).toEqual({
          ids: runs.flatMap(({ run_id, session_id }) => (session_id === session ? [run_id] : [])),
          next: null
        })
      expect(await page(send, "?session=other")).toEqual({ ids: [], next: null })
      expect(await json(send("GET", "/api/runs?limit=1"))).toMatchObject({
        runs: [{ run_id: "r-4", status: "waiting_approval", pending: { call_id: "call-1" } }]
      })
    }))

  test.each([
    ["status=open", "status: "],
    ["status=", "status: "],
    ["limit=0", "limit: must be a whole number from 1 to 200"],
    ["limit=201", "limit: "],
    ["limit=-1", "limit: "],
    ["limit=1.5", "limit: "],
    ["limit=1e1", "limit: "],
    ["limit=", "limit: "],
    ["limit=1&limit=2", "limit: "],
    ["cursor=", "cursor: "],
    ["cursor=x", "cursor: "],
    ["cursor=%00%ff", "cursor: "],
    ["cursor=bnVsbA", "cursor: "],
    ["status=x&limit=y", "status: "],
    ["sesion=s-new", "sesion: there is no such field"]
  ])("%s is refused, and the reason begins with %j", (query, reason) =>
    withHandler(async ({ send }) => {
      const response = await send("GET", `/api/runs?${query}`)
      const { error } = (await response.json()) as { error: { code: string; message: string } }
      expect([response.status, error.code]).toEqual([422, "invalid_query"])
      expect(error.message).toStartWith(reason)
    })
  )
})

describe("GET /api/runs/{id}", () => {
  test("shows the run and the call it waits for", () =>
    withHandler(async ({ send }) => {
      await linesOf(await start(send, "wait"))
      expect(await json(send("GET", "/api/runs/r-1"))).toMatchObject({
        run_id: "r-1",
        status: "waiting_approval",
        persona: "default",
        pending: {
          call_id: "call-1",
          tool: "mcp__fs__write",
          server: "fs",
          input: { path: "a" },
          reason: "it may change data"
        }
      })
      expect(await errorOf(await send("GET", "/api/runs/none"))).toBe("404 run_not_found")
    }))

  test("gives the stored events after a number, ascending", () =>
    withHandler(async ({ send }) => {
      await linesOf(await start(send, "hello"))
      const { events } = (await json(send("GET", "/api/runs/r-1/events?after_sequence=1"))) as {
        events: ReadonlyArray<{ type: string; sequence: number }>
      }
      expect(events.map(({ sequence, type }) => [sequence, type])).toEqual([
        [2, "text_delta"],
        [3, "run_finished"]
      ])
      const all = (await json(send("GET", "/api/runs/r-1/events"))) as { events: ReadonlyArray<unknown> }
      expect(all.events).toHaveLength(3)
    }))

  test.each(["x", "-1", "1.5", "", "1e3"])("after_sequence=%s is refused", (after) =>
    withHandler(async ({ send }) => {
      await linesOf(await start(send, "hello"))
      const response = await send("GET", `/api/runs/r-1/events?after_sequence=${after}`)
      expect(response.status).toBe(422)
      expect(await errorOf(await send("GET", "/api/runs/none/events"))).toBe("404 run_not_found")
    })
  )
})

describe("POST /api/runs/{id}/approval", () => {
  test("approving answers at once and lets the run go on", () =>
    withHandler(async ({ log, send }) => {
      await linesOf(await start(send, "wait"))
      const body = await json(send("POST", "/api/runs/r-1/approval", { approved: true, call_id: "call-1" }))
      expect(body).toMatchObject({ approved: true, run: { run_id: "r-1", status: "running", pending: null } })
      expect(log.lines).toContain("resume r-1 approved")
    }))

  test("refusing lets the run go on with the refusal", () =>
    withHandler(async ({ log, send }) => {
      await linesOf(await start(send, "wait"))
      const body = await json(send("POST", "/api/runs/r-1/approval", { approved: false }))
      expect(body).toMatchObject({ approved: false, run: { status: "running" } })
      expect(log.lines).toContain("resume r-1 refused")
    }))

  test("of two answers at the same time one is taken", () =>
    withHandler(async ({ log, send }) => {
      await linesOf(await start(send, "wait"))
      const answers = await Promise.all(
        [1, 2].map(() => send("POST", "/api/runs/r-1/approval", { approved: true }))
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      expect(log.lines.filter((line) => line.startsWith("resume"))).toHaveLength(1)
    }))

  test("another call, and a run that waits for nothing, are refused and nothing changes", () =>
    withHandler(async ({ log, send }) => {
      await linesOf(await start(send, "wait"))
      await linesOf(await start(send, "hello"))
      const other = await send("POST", "/api/runs/r-1/approval", { approved: true, call_id: "call-2" })
      expect(await errorOf(other)).toBe("409 invalid_approval")
      const done = await send("POST", "/api/runs/r-2/approval", { approved: true })
      expect(await errorOf(done)).toBe("409 invalid_approval")
      expect(await errorOf(await send("POST", "/api/runs/r-1/approval", {}))).toBe("422 invalid_body")
      expect(log.lines.filter((line) => line.startsWith("resume"))).toEqual([])
    }))
})

describe("POST /api/runs/{id}/cancel", () => {
  test("ends a run under way before it answers, and again changes nothing", () =>
    withHandler(async ({ log, send }) => {
      const { runId } = await hanging(send)
      expect(await json(send("POST", `/api/runs/${runId}/cancel`))).toMatchObject({ status: "cancelled" })
      expect(await json(send("POST", `/api/runs/${runId}/cancel`))).toMatchObject({ status: "cancelled" })
      expect(log.lines.filter((line) => line.startsWith("cancelled"))).toHaveLength(1)
    }))

  test("ends a run that waits for an approval", () =>
    withHandler(async ({ log, send }) => {
      await linesOf(await start(send, "wait"))
      expect(await json(send("POST", "/api/runs/r-1/cancel"))).toMatchObject({ status: "cancelled" })
      expect(log.lines).toContain("resume r-1 cancelled")
    }))

  test("ends a run that goes on after an approval", () =>
    withHandler(async ({ log, send }) => {
      await linesOf(await start(send, "wait"))
      await send("POST", "/api/runs/r-1/approval", { approved: true })
      expect(await json(send("POST", "/api/runs/r-1/cancel"))).toMatchObject({ status: "cancelled" })
      expect(log.lines.at(-1)).toBe("cancelled r-1")
    }))

  test("a finished run is over, an unknown one unknown", () =>
    withHandler(async ({ send }) => {
      await linesOf(await start(send, "hello"))
      expect(await errorOf(await send("POST", "/api/runs/r-1/cancel"))).toBe("409 run_terminal")
      expect(await errorOf(await send("POST", "/api/runs/none/cancel"))).toBe("404 run_not_found")
    }))
})

describe("POST /api/runs/{id}/steer", () => {
  test("puts a text into a run under way", () =>
    withHandler(async ({ log, send }) => {
      const { runId } = await hanging(send)
      const response = await send("POST", `/api/runs/${runId}/steer`, { text: "left" })
      expect(response.status).toBe(202)
      expect(log.lines.at(-1)).toBe("steer s-new left")
      expect(await errorOf(await send("POST", `/api/runs/${runId}/steer`, { text: "too much" }))).toBe(
        "422 invalid_body"
      )
      expect(await errorOf(await send("POST", `/api/runs/${runId}/steer`, { text: "" }))).toBe(
        "422 invalid_body"
      )
    }))

  test("a finished run takes no text, an unknown one neither", () =>
    withHandler(async ({ send }) => {
      await linesOf(await start(send, "hello"))
      expect(await errorOf(await send("POST", "/api/runs/r-1/steer", { text: "left" }))).toBe(
        "409 run_terminal"
      )
      expect(await errorOf(await send("POST", "/api/runs/none/steer", { text: "left" }))).toBe(
        "404 run_not_found"
      )
    }))
})
