/** A server that denies access with HTTP 403, and what is said about it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { call, Home, settled } from "../Fixture.ts"
import * as HttpServer from "../fixtures/HttpServer.ts"

let home: Home
let stop: () => void
beforeEach(() => {
  home = new Home()
  stop = () => {}
})
afterEach(() => {
  home.remove()
  stop()
})

const denying = (of: string, entry: object = {}, challenge?: string) => {
  const headers = challenge === undefined ? {} : { "www-authenticate": challenge }
  const server = HttpServer.start({
    only: { of, response: () => new Response("no", { status: 403, headers }) }
  })
  stop = () => void server.stop()
  home.write({ web: { url: server.url, ...entry } })
  return server
}
const row = Effect.flatMap(settled, (manager) => manager.get("web"))

describe("a server that denies access", () => {
  for (const method of ["initialize", "tools/list"])
    test(`to ${method} needs a login, and says in a sentence what to do`, async () => {
      denying(method)
      expect(await home.run(row)).toMatchObject({
        status: "needs_auth",
        error:
          'the server denies access (HTTP 403): set a header for it, such as "Authorization", in mcp.json, or ask its owner for access'
      })
    })

  test("with a scheme and no more is told of like one without", async () => {
    denying("initialize", {}, 'Bearer realm="cows"')
    expect((await home.run(row)).error).toMatch(/^the server denies access \(HTTP 403\): set a header/)
  })

  test("and names where to log in is taken for one that asks for a login", async () => {
    denying("initialize", {}, 'Bearer resource_metadata="http://127.0.0.1:9/meta"')
    const { error, status } = await home.run(row)
    expect(status).toBe("needs_auth")
    expect(error).toMatch(/^the server asks for a login \(HTTP 403\)/)
  })

  test("to the header of its entry says that this is to be corrected", async () => {
    denying("initialize", { headers: { authorization: "Bearer old-and-wrong" } })
    const { error, status } = await home.run(row)
    expect(status).toBe("needs_auth")
    expect(error).toContain('to the "Authorization" header that mcp.json sets: correct it')
    expect(error).not.toContain("old-and-wrong")
  })

  test("to the older stream of events needs a login too", async () => {
    denying("GET", { type: "sse" })
    expect(await home.run(row)).toMatchObject({
      status: "needs_auth",
      error: expect.stringContaining("denies access (HTTP 403)")
    })
  })

  test("to a call fails that call, and stays ready", async () => {
    denying("tools/call")
    await home.run(
      Effect.gen(function* () {
        yield* settled
        const result = yield* call("mcp__web__hello")
        expect(result._tag).toBe("Failed")
        expect(JSON.stringify(result)).toContain("the server denies access (HTTP 403)")
        expect((yield* row).status).toBe("ready")
      })
    )
  })

  test("to the optional stream only is ready, and is not asked for it again", async () => {
    const server = denying("GET")
    await home.run(
      Effect.gen(function* () {
        expect((yield* row).status).toBe("ready")
        yield* Effect.sleep(1500)
        expect((yield* call("mcp__web__hello"))._tag).toBe("Ok")
      })
    )
    expect(server.asked.filter(({ http }) => http === "GET /mcp").length).toBe(1)
  })
})
