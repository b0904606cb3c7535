import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Audience, ToolResult } from "@cow/core"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { ServerLogin } from "../../src/auth/ServerLogin.ts"
import { McpConfigFile } from "../../src/config/McpConfigFile.ts"
import { defaultTimeouts } from "../../src/config/McpSettings.ts"
import { LoginRefused, type UserAgent } from "../../src/config/UserAgent.ts"
import { McpManager } from "../../src/McpManager.ts"
import { call, Home } from "../Fixture.ts"
import * as OAuthServer from "../fixtures/OAuthServer.ts"

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

const serve = (switches: OAuthServer.OAuthSwitches = {}) => {
  const server = OAuthServer.start(switches)
  stops.push(() => void server.stop())
  home.write({ web: { url: server.url } })
  return server
}
const credentials = () => join(home.dir, "credentials.json")
const stored = (): ReadonlyArray<Record<string, unknown>> =>
  existsSync(credentials()) ? JSON.parse(readFileSync(credentials(), "utf8")).mcp_logins : []
const tokensOf = () => stored().map(({ tokens }) => tokens)

/** A browser whose person agrees at once; `change` stands in for whoever meddles with the way back. */
const browser = (change: (back: URLSearchParams) => void = () => {}): UserAgent => ({
  redirectUrl: "http://127.0.0.1:41417/callback",
  visit: (url) =>
    Effect.tryPromise({
      try: async () => {
        const back = (await fetch(url, { redirect: "manual" })).headers.get("location") ?? ""
        const params = new URL(back).searchParams
        change(params)
        return params
      },
      catch: (error) => new LoginRefused({ message: String(error) })
    })
})

const logins = () =>
  ServerLogin.layer({
    cowHome: home.dir,
    home: home.dir,
    workspace: home.dir,
    env: {},
    projectTrusted: false,
    allowArbitraryStdio: false,
    ...defaultTimeouts
  }).pipe(Layer.provide(BunServices.layer))

const login = (agent = browser(), name = "web") =>
  Effect.flatMap(ServerLogin, (service) => service.login(name, agent)).pipe(
    Effect.provide(Layer.fresh(logins()))
  )
const logout = Effect.suspend(() =>
  Effect.flatMap(ServerLogin, (service) => service.logout("web")).pipe(Effect.provide(Layer.fresh(logins())))
)
const row = Effect.gen(function* () {
  const manager = yield* McpManager
  yield* manager.waitSettled(8)
  return yield* manager.get("web")
})

describe("a server that asks for a login, in the background,", () => {
  test("and offers none needs a header, and the error says where to set it", async () => {
    const server = serve({ metadata: false })
    const { error, status } = await home.run(row)
    expect(status).toBe("needs_auth")
    expect(error).toMatch(/HTTP 401.*offers none.*header.*mcp\.json/)
    expect(server.counts).toMatchObject({ posts: 1, register: 0 })
  })

  test("tells the command to run and the address, with challenge, state, resource and the scopes", async () => {
    const server = serve()
    const { error, status } = await home.run(row)
    expect(status).toBe("needs_auth")
    expect(error).toContain("cow mcp login web")
    const url = new URL(/\((http[^)]*)\)/.exec(error ?? "")?.[1] ?? "")
    expect(url.origin + url.pathname).toBe(`${server.origin}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      resource: server.url,
      scope: "read offline_access",
      state: expect.stringMatching(/^[\w-]{30,}$/)
    })
    // Nobody was sent anywhere.
    expect(server.counts.authorize).toBe(0)
    expect(tokensOf()).toEqual([undefined])
  })

  test("is registered with once, however often it is tried", async () => {
    const server = serve()
    await home.run(row)
    await home.run(row)
    expect(server.counts.register).toBe(1)
  })

  test("and refuses the header that is set is not logged in to", async () => {
    const server = serve()
    home.write({ web: { url: server.url, headers: { Authorization: "Bearer mine" } } })
    expect((await home.run(row)).error).toMatch(/HTTP 401.*Authorization/)
    expect([server.counts.register, existsSync(credentials())]).toEqual([0, false])
  })
})

describe("a login", () => {
  test("is stored for its owner alone, and the server is ready with it, in other processes too", async () => {
    const server = serve()
    expect(await Effect.runPromise(login())).toEqual({ tools: 1, asked: true })
    expect(statSync(credentials()).mode & 0o777).toBe(0o600)
    expect(stored()).toMatchObject([
      { server: "web", url: server.url, issuer: server.origin, tokens: { access_token: expect.any(String) } }
    ])
    await home.run(
      Effect.gen(function* () {
        expect(yield* row).toMatchObject({ status: "ready", tools: 1 })
        expect(yield* call("mcp__web__secret")).toEqual(ToolResult.ok("open"))
      })
    )
    expect(server.counts).toMatchObject({ authorize: 1, exchange: 1 })
  })

  test("counts for the server's name and its address together", async () => {
    const server = serve()
    await Effect.runPromise(login())
    home.write({ other: { url: server.url }, web: { url: `${server.url}?tenant=2` } })
    await home.run(
      Effect.gen(function* () {
        const manager = yield* McpManager
        yield* manager.waitSettled(8)
        expect((yield* manager.list).map(({ name, status }) => [name, status])).toEqual([
          ["other", "needs_auth"],
          ["web", "needs_auth"]
        ])
      })
    )
  })

  test("is gone after a logout", async () => {
    serve()
    await Effect.runPromise(login())
    expect(await Effect.runPromise(logout)).toBe(1)
    expect(await Effect.runPromise(logout)).toBe(0)
    expect(stored()).toEqual([])
    expect((await home.run(row)).status).toBe("needs_auth")
  })

  test("is gone with its server, and one of the same name and address asks anew", async () => {
    const server = serve()
    await Effect.runPromise(login())
    await Effect.runPromise(
      Effect.flatMap(McpConfigFile, (file) =>
        Effect.andThen(file.remove("web"), file.add("web", { url: server.url }, Audience.everyone))
      ).pipe(
        Effect.provide(McpConfigFile.layer({ cowHome: home.dir }).pipe(Layer.provide(BunServices.layer)))
      )
    )
    expect(stored()).toEqual([])
    expect((await home.run(row)).status).toBe("needs_auth")
  })

  test("leaves what else is in the file, and narrows a file that others could read", async () => {
    serve()
    writeFileSync(credentials(), '{"other": {"kept": true}}', { mode: 0o644 })
    await Effect.runPromise(login())
    expect(statSync(credentials()).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(credentials(), "utf8")).other).toEqual({ kept: true })
  })

  for (const [what, switches, change, reason] of [
    ["a wrong state", {}, (back) => back.set("state", "forged"), /wrong state/],
    ["no state", {}, (back) => back.delete("state"), /wrong state/],
    ["an error", { error: "access_denied" }, () => {}, /access_denied/],
    ["another issuer", { iss: "https://evil.example" }, () => {}, /[Ii]ssuer/],
    ["no issuer although one was announced", {}, (back) => back.delete("iss"), /[Ii]ssuer/],
    ["no code", {}, (back) => back.delete("code"), /without a code/]
  ] as ReadonlyArray<readonly [string, OAuthServer.OAuthSwitches, (back: URLSearchParams) => void, RegExp]>)
    test(`that comes back with ${what} is refused, and nothing is stored`, async () => {
      const server = serve(switches)
      const refused = await Effect.runPromise(Effect.flip(login(browser(change))))
      expect(refused).toMatchObject({ _tag: "LoginFailed", reason: "refused" })
      expect(refused.message).toMatch(reason)
      expect(server.counts.exchange).toBe(0)
      expect(tokensOf()).toEqual([undefined])
      expect((await home.run(row)).status).toBe("needs_auth")
    })

  test("that fails leaves the one from before", async () => {
    serve()
    await Effect.runPromise(login())
    const before = tokensOf()
    await Effect.runPromise(Effect.flip(login(browser((back) => back.set("state", "forged")))))
    expect(tokensOf()).toEqual(before)
  })

  test("of an unknown server, or one that is started here, is refused in words", async () => {
    home.write({ local: { command: "x" } })
    expect(await Effect.runPromise(Effect.flip(login(browser(), "web")))).toMatchObject({
      reason: "not_found"
    })
    expect(await Effect.runPromise(Effect.flip(login(browser(), "local")))).toMatchObject({ reason: "unfit" })
  })
})

describe("a token", () => {
  test("that ends soon is renewed first, once for all who wait", async () => {
    const server = serve({ lifetime: 30, refreshMillis: 50 })
    await Effect.runPromise(login())
    const { refresh } = server.counts
    await home.run(
      Effect.gen(function* () {
        expect(yield* row).toMatchObject({ status: "ready" })
        const atStart = server.counts.refresh
        expect(atStart).toBeGreaterThan(refresh)
        const results = yield* Effect.all(
          Array.from({ length: 10 }, () => call("mcp__web__secret")),
          { concurrency: "unbounded" }
        )
        expect(results).toEqual(Array.from({ length: 10 }, () => ToolResult.ok("open")))
        expect(server.counts.refresh - atStart).toBeLessThanOrEqual(2)
      })
    )
    // No request was ever refused for an old token: only the login itself was.
    expect(server.counts.refused).toBe(1)
    expect(server.counts.authorize).toBe(1)
  })

  test("that is refused is renewed, once for ten calls, and the calls are made again", async () => {
    const server = serve({ refreshMillis: 50 })
    await Effect.runPromise(login())
    await home.run(
      Effect.gen(function* () {
        yield* row
        server.revoke()
        const results = yield* Effect.all(
          Array.from({ length: 10 }, () => call("mcp__web__secret")),
          { concurrency: "unbounded" }
        )
        expect(results).toEqual(Array.from({ length: 10 }, () => ToolResult.ok("open")))
      })
    )
    expect(server.counts).toMatchObject({ refresh: 1, authorize: 1 })
  })

  test("that two Cows renew at once stays good for both, though only one refresh token counts", async () => {
    const server = serve({ refreshMillis: 100 })
    await Effect.runPromise(login())
    const ready = Promise.withResolvers<void>()
    let waiting = 0
    const cow = () =>
      home.run(
        Effect.gen(function* () {
          yield* row
          yield* Effect.promise(() => {
            if (++waiting === 2) {
              server.revoke()
              ready.resolve()
            }
            return ready.promise
          })
          return yield* call("mcp__web__secret")
        })
      )
    expect(await Promise.all([cow(), cow()])).toEqual([ToolResult.ok("open"), ToolResult.ok("open")])
    expect(server.counts.authorize).toBe(1)
    expect(await home.run(Effect.andThen(row, call("mcp__web__secret")))).toEqual(ToolResult.ok("open"))
  })

  test("that is taken away while it is renewed does not come back", async () => {
    const server = serve({ refreshMillis: 300 })
    await Effect.runPromise(login())
    await home.run(
      Effect.gen(function* () {
        yield* row
        server.revoke()
        const calling = yield* Effect.forkChild(call("mcp__web__secret"))
        while (server.counts.refresh === 0) yield* Effect.sleep(5)
        yield* logout
        expect(yield* Fiber.join(calling)).toMatchObject({ _tag: "Failed" })
      })
    )
    // It may have registered for the next login.
    expect(tokensOf().filter((tokens) => tokens !== undefined)).toEqual([])
  })

  test("that cannot be renewed makes the server need a login, and the call says so", async () => {
    const server = serve({ refuseRefresh: true })
    await Effect.runPromise(login())
    await home.run(
      Effect.gen(function* () {
        yield* row
        server.revoke()
        const result = yield* call("mcp__web__secret")
        expect(result).toMatchObject({ _tag: "Failed" })
        expect(JSON.stringify(result)).toContain("asks for a login")
        const manager = yield* McpManager
        for (let tries = 0; (yield* manager.get("web")).status !== "needs_auth" && tries < 200; tries++)
          yield* Effect.sleep(50)
        const { error, status } = yield* manager.get("web")
        expect(status).toBe("needs_auth")
        expect(error).toContain("cow mcp login web")
        expect(error).not.toMatch(/refresh-\d|access-\d/)
      })
    )
    expect(tokensOf()).toEqual([undefined])
  })

  test("of too narrow a scope makes the call tell of the login, which then asks for more", async () => {
    const server = serve({ callScope: "write" })
    await Effect.runPromise(login())
    const refused = await home.run(Effect.andThen(row, call("mcp__web__secret")))
    expect(JSON.stringify(refused)).toContain("cow mcp login web")
    await Effect.runPromise(login())
    expect(server.scopes.map((scope) => scope.split(" ").includes("write"))).toEqual([false, true])
    expect(await home.run(Effect.andThen(row, call("mcp__web__secret")))).toEqual(ToolResult.ok("open"))
  })
})
