import { describe, expect, test } from "bun:test"
import net from "node:net"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as LoginCallback from "../../src/auth/LoginCallback.ts"
import * as PastedRedirect from "../../src/auth/PastedRedirect.ts"

const get = (url: string, init: RequestInit = {}) =>
  Effect.promise(() => fetch(url, init).then(({ status }) => status))
const listening = <A, E>(use: (callback: LoginCallback.LoginCallback) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(LoginCallback.listen, use)))

describe("the address that a browser comes back to", () => {
  test("hands over all parameters, once a state, and is gone at the end", async () => {
    const address = await listening((callback) =>
      Effect.gen(function* () {
        const url = `${callback.redirectUrl}?state=one&code=c&iss=i`
        const waiting = yield* Effect.forkChild(callback.expect("one"), { startImmediately: true })
        expect(yield* get(url)).toBe(200)
        expect(Object.fromEntries(yield* Fiber.join(waiting))).toEqual({ state: "one", code: "c", iss: "i" })
        expect(yield* get(url)).toBe(400)
        // Neither does it count for a later login.
        const next = yield* Effect.forkChild(callback.expect("two"), { startImmediately: true })
        expect(yield* get(url)).toBe(400)
        expect(yield* get(`${callback.redirectUrl}?state=two&code=d`)).toBe(200)
        expect((yield* Fiber.join(next)).get("code")).toBe("d")
        return callback.redirectUrl
      })
    )
    expect(
      await fetch(address).then(
        () => "open",
        () => "closed"
      )
    ).toBe("closed")
  })

  test("refuses a login that comes back with another state", async () => {
    const refused = await listening((callback) =>
      Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(Effect.flip(callback.expect("one")), {
          startImmediately: true
        })
        expect(yield* get(`${callback.redirectUrl}?state=other&code=c`)).toBe(400)
        return yield* Fiber.join(waiting)
      })
    )
    expect(refused._tag).toBe("LoginRefused")
  })

  test("hears nobody under another host's name, on another path, or while no login is under way", () =>
    listening((callback) =>
      Effect.gen(function* () {
        const url = `${callback.redirectUrl}?state=one&code=c`
        expect(yield* get(url)).toBe(400)
        const waiting = yield* Effect.forkChild(callback.expect("one"), { startImmediately: true })
        expect(yield* get(url, { headers: { host: "evil.example" } })).toBe(403)
        expect(yield* get(url.replace("/callback", "/other"))).toBe(404)
        expect(yield* get(url, { method: "POST" })).toBe(404)
        expect(yield* get(url)).toBe(200)
        expect((yield* Fiber.join(waiting)).get("code")).toBe("c")
      })
    ))

  test("goes on listening after requests for what is no address", () =>
    listening((callback) =>
      Effect.gen(function* () {
        const { host, port } = new URL(callback.redirectUrl)
        const ask = (target: string) =>
          Effect.callback<number>((resume) => {
            const socket = net.connect(Number(port), "127.0.0.1", () =>
              socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
            )
            socket.on("error", () => resume(Effect.succeed(0)))
            socket.once("data", (data) => resume(Effect.succeed(Number(data.toString().split(" ")[1]))))
          })
        for (const target of ["//", "///", "http://[", "//[::1", "http://a:99999/callback", "/%ff"])
          expect([target, yield* ask(target)]).toEqual([target, 404])
        const waiting = yield* Effect.forkChild(callback.expect("one"), { startImmediately: true })
        expect(yield* get(`${callback.redirectUrl}?state=one&code=c`)).toBe(200)
        expect((yield* Fiber.join(waiting)).get("code")).toBe("c")
      })
    ))

  test("is another one while a second login is under way", () =>
    listening((first) =>
      Effect.scoped(
        Effect.map(LoginCallback.listen, (second) => expect(second.redirectUrl).not.toBe(first.redirectUrl))
      )
    ))
})

describe("what is pasted", () => {
  const query = (text: string) =>
    Result.mapBoth(PastedRedirect.parse(text, "mine"), {
      onSuccess: (params) => Object.fromEntries(params),
      onFailure: () => "refused" as const
    })

  test("may be the address, its query, or the code alone", () => {
    const all = Result.succeed({ code: "c", state: "s", iss: "i" })
    expect(query(" http://127.0.0.1:1/callback?code=c&state=s&iss=i \n")).toEqual(all)
    expect(query("?code=c&state=s&iss=i")).toEqual(all)
    expect(query("abc.DEF-1")).toEqual(Result.succeed({ code: "abc.DEF-1", state: "mine" }))
    expect(query("http://127.0.0.1:1/callback?error=access_denied&state=s")).toEqual(
      Result.succeed({ error: "access_denied", state: "s" })
    )
  })

  test("is refused where it is neither", () => {
    for (const text of ["", "  ", "http://127.0.0.1:1/callback", "two words"])
      expect(query(text)).toEqual(Result.fail("refused"))
  })
})
