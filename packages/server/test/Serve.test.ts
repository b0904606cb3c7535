import { describe, expect, test } from "bun:test"
import { listening } from "./Listening.ts"
import { linesOf } from "./ServerTest.ts"

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

  test("a connection that breaks off before the first event cancels the run too", () =>
    listening(async (url, { log }) => {
      const abort = new AbortController()
      const body = '{"prompt":"silent"}'
      const answer = fetch(`${url}/api/runs`, { method: "POST", body, signal: abort.signal })
      await log.until("run default workspace-write offline/cow silent")
      abort.abort()
      expect(await answer.catch((error: Error) => error.name)).toBe("AbortError")
      await log.until("silent no more")
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
