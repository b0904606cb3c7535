// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as they stand in mcp.json
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import { call, Home, settled } from "../Fixture.ts"
import * as HttpServer from "../fixtures/HttpServer.ts"

let home: Home
let stops: Array<() => void>
beforeEach(() => {
  home = new Home()
  stops = []
})
afterEach(() => {
  home.remove()
  for (const stop of stops) stop()
})

const serve = (switches: HttpServer.Switches) => {
  const server = HttpServer.start(switches)
  stops.push(() => void server.stop())
  return server
}
const row = (name: string) => Effect.flatMap(settled, (manager) => manager.get(name))

describe("a server over streamable HTTP", () => {
  for (const reply of ["json", "sse"] as const)
    test(`answers with ${reply}; headers and session go with every request, and the session is ended`, async () => {
      const server = serve({ reply, sessions: true })
      home.write({ web: { url: server.url, headers: { "X-Team": "${TEAM}" } } })
      await home.run(
        Effect.gen(function* () {
          expect(yield* row("web")).toMatchObject({
            status: "ready",
            transport: "http",
            tools: 1,
            protocol: "2025-11-25"
          })
          expect(yield* call("mcp__web__hello")).toEqual(ToolResult.ok("hello 1"))
        }),
        { env: { TEAM: "cows" } }
      )
      const [made] = server.rpc("tools/call")
      expect(made?.headers.get("x-team")).toBe("cows")
      expect(made?.headers.get("mcp-session-id")).toBe("S1")
      expect(made?.headers.get("mcp-protocol-version")).toBe("2025-11-25")
      expect(server.asked.filter(({ http }) => http === "DELETE /mcp").length).toBe(1)
    })

  test("whose session is lost once is greeted again and asked once more", async () => {
    const server = serve({ sessions: true, call: "lost once" })
    home.write({ web: { url: server.url } })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(yield* call("mcp__web__hello")).toEqual(ToolResult.ok("hello 2"))
      })
    )
    expect(server.rpc("initialize").map(({ headers }) => headers.get("mcp-session-id"))).toEqual([null, null])
    expect(server.rpc("tools/call").map(({ headers }) => headers.get("mcp-session-id"))).toEqual(["S1", "S2"])
  })

  test("whose session is lost always gives an error, not a loop", async () => {
    const server = serve({ sessions: true, call: "lost always" })
    home.write({ web: { url: server.url } })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(yield* call("mcp__web__hello")).toEqual(
          ToolResult.failed('MCP server "web": it does not know the session (HTTP 404)')
        )
      })
    )
    expect([server.rpc("initialize").length, server.rpc("tools/call").length]).toEqual([2, 2])
  })

  test("whose stream ends before the answer gives an error at once, and the call is not sent again", async () => {
    const server = serve({ call: "drop" })
    home.write({ web: { url: server.url } })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        const began = performance.now()
        const result = yield* call("mcp__web__hello")
        expect(result).toEqual(ToolResult.failed('MCP server "web": connection lost before the answer'))
        expect(performance.now() - began).toBeLessThan(2000)
      })
    )
    expect(server.rpc("tools/call").length).toBe(1)
  })

  test("whose stream breaks off in the middle is asked for the rest, after the time that it named", async () => {
    const server = serve({ call: "resume" })
    home.write({ web: { url: server.url } })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(yield* call("mcp__web__hello")).toEqual(ToolResult.ok("hello 1"))
      })
    )
    expect(server.rpc("tools/call").length).toBe(1)
    expect(server.resumedAfter.length).toBe(1)
    expect(server.resumedAfter[0]).toBeGreaterThanOrEqual(115)
    expect(server.resumedAfter[0]).toBeLessThan(2000)
  })

  test("is given more time while it tells of progress", async () => {
    const server = serve({ call: "progress" })
    home.write({ web: { url: server.url, timeout: 0.5 } })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(yield* call("mcp__web__hello")).toEqual(ToolResult.ok("hello 1"))
      })
    )
  })

  test("is given none for what it logs meanwhile", async () => {
    const server = serve({ call: "chatter" })
    home.write({ web: { url: server.url, timeout: 0.5 } })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(yield* call("mcp__web__hello")).toMatchObject({ _tag: "Timeout" })
      })
    )
  })

  test("that stays silent times out with the exact text", async () => {
    const server = serve({ call: "silent" })
    home.write({ web: { url: server.url, timeout: 0.3 } })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(yield* call("mcp__web__hello")).toEqual(
          ToolResult.timeout('{"status":"timeout","error":"MCP tool timed out after 0.3s"}')
        )
      })
    )
  })

  test("whose last event lacks its blank line is heard", async () => {
    const server = serve({ reply: "sse", call: "no blank line" })
    home.write({ web: { url: server.url } })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(yield* call("mcp__web__hello")).toEqual(ToolResult.ok("hello 1"))
      })
    )
  })

  test("that is busy for a moment is ready after a while", async () => {
    const server = serve({ busy: 2 })
    home.write({ web: { url: server.url } })
    await home.run(
      Effect.gen(function* () {
        expect(yield* row("web")).toMatchObject({ status: "ready" })
      })
    )
  })
})

describe("a server that refuses", () => {
  for (const [what, always, status, error] of [
    ["401", () => new Response("no", { status: 401 }), "needs_auth", /HTTP 401.*Authorization/],
    [
      "403",
      () => new Response("no", { status: 403 }),
      "needs_auth",
      /^the server denies access \(HTTP 403\)/
    ],
    ["500", () => new Response("boom", { status: 500 }), "failed", /HTTP 500/],
    [
      "a page",
      () => new Response("<html>sign in</html>", { headers: { "content-type": "text/html" } }),
      "failed",
      /text\/html.*<html>sign in/
    ],
    [
      "a redirect to elsewhere",
      () => new Response(null, { status: 307, headers: { location: "http://169.254.169.254/mcp" } }),
      "failed",
      /169\.254\.169\.254/
    ]
  ] as const)
    test(`with ${what} is ${status}, and no SSE is tried`, async () => {
      const server = serve({ always })
      home.write({ web: { url: server.url, headers: { Authorization: "Bearer s3cret-token" } } })
      await home.run(
        Effect.gen(function* () {
          const { status: state, error: message } = yield* row("web")
          expect(state).toBe(status)
          expect(message).toMatch(error)
          expect(message).not.toContain("s3cret-token")
        })
      )
      expect(server.asked.filter(({ http }) => http.startsWith("GET"))).toEqual([])
    })

  test("by not being there is failed", async () => {
    home.write({ web: { url: "http://127.0.0.1:1/mcp" } })
    await home.run(
      Effect.gen(function* () {
        expect(yield* row("web")).toMatchObject({ status: "failed" })
      })
    )
  })
})

describe("a server of the older SSE transport", () => {
  for (const legacy of [400, 404, 405])
    test(`that refuses a POST with ${legacy} is reached over SSE`, async () => {
      const server = serve({ legacy })
      home.write({ old: { url: server.url, headers: { "X-Team": "cows" } } })
      await home.run(
        Effect.gen(function* () {
          expect(yield* row("old")).toMatchObject({ status: "ready", tools: 1 })
          expect(yield* call("mcp__old__hello")).toEqual(ToolResult.ok("hello 1"))
        })
      )
      const stream = server.asked.find(({ http }) => http === "GET /mcp")
      expect(stream?.headers.get("x-team")).toBe("cows")
    })

  test("is not fallen back to where the entry says streamable", async () => {
    const server = serve({ legacy: 405 })
    home.write({ old: { type: "http", url: server.url } })
    await home.run(
      Effect.gen(function* () {
        expect(yield* row("old")).toMatchObject({ status: "failed" })
      })
    )
  })

  test("is used at once where the entry says so", async () => {
    const server = serve({ legacy: 404 })
    home.write({ old: { type: "sse", url: server.url } })
    await home.run(
      Effect.gen(function* () {
        expect(yield* row("old")).toMatchObject({ status: "ready", transport: "sse" })
      })
    )
    expect(server.asked.filter(({ http }) => http === "POST /mcp")).toEqual([])
  })
})
