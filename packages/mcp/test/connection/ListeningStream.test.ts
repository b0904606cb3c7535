import { expect, test } from "bun:test"
import * as ListeningStream from "../../src/connection/ListeningStream.ts"

/** A client that opens the stream a second after it has ended, as the MCP client does, in a time of its own. */
const listen = async (lastsMillis: number, body: string, headers: Record<string, string> = {}) => {
  let now = 0
  const asked: Array<number> = []
  const fetch = ListeningStream.paced(
    async () => {
      asked.push(now / 1000)
      return new Response(body, { headers: { "content-type": "text/event-stream" } })
    },
    {
      now: () => now,
      sleep: async (millis) => {
        now += millis
      }
    }
  )
  while (now < 120_000) {
    const response = await fetch("http://x/mcp", { method: "GET", headers })
    if (!response.ok) return { asked, status: response.status }
    now += lastsMillis
    await response.text()
    now += 1000
  }
  return { asked, status: 200 }
}

test("a server that ends its stream at once is asked three times with growing pauses, then left alone", async () => {
  expect(await listen(0, ": open\n\n")).toEqual({ asked: [0, 3, 8], status: 405 })
})

test("a server that says something and ends is asked with growing pauses", async () => {
  const { asked, status } = await listen(0, 'data: {"jsonrpc":"2.0","method":"x"}\n\n')
  expect([asked.slice(0, 5), status]).toEqual([[0, 3, 8, 17, 34], 200])
})

test("a stream that is kept open for long is opened again without a pause", async () => {
  const { asked } = await listen(20_000, ": open\n\n")
  expect(asked.slice(0, 3)).toEqual([0, 21, 42])
})

test("a stream that is resumed is never given up: somebody waits for an answer", async () => {
  const { asked, status } = await listen(0, ": open\n\n", { "last-event-id": "e1" })
  expect([asked.slice(0, 4), status]).toEqual([[0, 3, 8, 14], 200])
})

test("requests that are no GET pass, and a refusal counts for nothing", async () => {
  const fetch = ListeningStream.paced(async (_, init) =>
    init?.method === "POST" ? new Response("posted") : new Response(null, { status: 405 })
  )
  expect(await (await fetch("http://x/", { method: "POST" })).text()).toBe("posted")
  for (let at = 0; at < 5; at++) expect((await fetch("http://x/", { method: "GET" })).status).toBe(405)
})

test("a pause ends with the connection", async () => {
  const fetch = ListeningStream.paced(async () => new Response(": open\n\n"))
  const closing = new AbortController()
  await (await fetch("http://x/", { method: "GET" })).text()
  const waiting = fetch("http://x/", { method: "GET", signal: closing.signal })
  closing.abort(new Error("closed"))
  await expect(waiting).rejects.toThrow("closed")
})
