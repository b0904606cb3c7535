import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { type Harness, linesOf, withHandler } from "./ServerTest.ts"

/** Listens on a free loopback port for the time of the test. */
const listening = (body: (url: string, harness: Harness) => Promise<void>) =>
  withHandler((harness) =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Bun.serve({
            hostname: "127.0.0.1",
            port: 0,
            idleTimeout: 0,
            fetch: (request) => harness.handler(request)
          })
        ),
        (server) => Effect.promise(() => server.stop(true))
      )
      yield* Effect.promise(() => body(`http://127.0.0.1:${server.port}`, harness))
    })
  )

describe("over a real socket", () => {
  test("a run is streamed to its end", () =>
    listening(async (url) => {
      const response = await fetch(`${url}/api/runs`, { method: "POST", body: '{"prompt":"hello"}' })
      const lines = await linesOf(response)
      expect(lines.map(({ type }) => type)).toEqual(["run_started", "text_delta", "run_finished"])
    }))

  test("a connection that breaks off cancels the run", () =>
    listening(async (url, { log, send }) => {
      const abort = new AbortController()
      const response = await fetch(`${url}/api/runs`, {
        method: "POST",
        body: '{"prompt":"hang"}',
        signal: abort.signal
      })
      await response.body?.getReader().read()
      abort.abort()
      await log.until("cancelled r-1")
      expect(await (await send("GET", "/api/runs/r-1")).json()).toMatchObject({ status: "cancelled" })
    }))

  test("a page of another site is refused", () =>
    listening(async (url) => {
      const response = await fetch(`${url}/api/runs`, {
        method: "POST",
        body: '{"prompt":"hello"}',
        headers: { origin: "https://evil.example" }
      })
      expect(response.status).toBe(403)
    }))
})
