import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { type Network, SkillDownloads } from "../../../src/install/fetch/SkillDownloads.ts"
import { maxBytes } from "../../../src/install/package/PackageFile.ts"

const seen: Array<string> = []
let server: ReturnType<typeof Bun.serve>

beforeAll(() => {
  const to = (location: string) => new Response(null, { status: 302, headers: { location } })
  const routes: Record<string, () => Response> = {
    "/file": () => new Response("bytes"),
    "/moved": () => to("/file"),
    "/elsewhere": () => to("https://other.example/file"),
    "/loopback": () => to("https://127.0.0.1/file"),
    "/inside": () => to("https://inside.example/file"),
    "/metadata": () => to("https://169.254.169.254/latest"),
    "/plain": () => to("http://files.example/file"),
    "/circle": () => to("/circle"),
    "/missing": () => new Response("no", { status: 404 }),
    "/limit": () => new Response(new Uint8Array(maxBytes)),
    "/big": () => new Response(new Uint8Array(maxBytes + 1)),
    "/slow": () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new Uint8Array(1)),
          pull: () => new Promise(() => {})
        })
      )
  }
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      seen.push(`${request.headers.get("x-host")}${pathname}`)
      return routes[pathname]?.() ?? new Response("?", { status: 500 })
    }
  })
})

afterAll(() => server.stop(true))

/** Names as on the internet, bytes from the server of this test. */
const network: Network = {
  addressesOf: async (host) =>
    host === "inside.example" ? ["93.184.216.34", "10.0.0.7"] : ["93.184.216.34"],
  send: ({ url }, signal) => {
    const { host, pathname } = new URL(url)
    return fetch(`http://127.0.0.1:${server.port}${pathname}`, {
      redirect: "manual",
      signal,
      headers: { "x-host": host }
    })
  }
}

const downloads = SkillDownloads.layerOver(network)

const get = (url: string) => {
  seen.length = 0
  return Effect.flatMap(SkillDownloads, (service) => service.get({ url })).pipe(
    Effect.result,
    Effect.provide(downloads),
    Effect.runPromise
  )
}

const refusal = async (url: string) => {
  const result = await get(url)
  return result._tag === "Failure" ? result.failure : undefined
}

describe("a download", () => {
  test("gives the whole body, redirects followed", async () => {
    for (const path of ["file", "moved", "elsewhere"]) {
      const result = await get(`https://files.example/${path}`)
      expect(result._tag === "Success" && new TextDecoder().decode(result.success)).toBe("bytes")
    }
    expect(seen).toEqual(["files.example/elsewhere", "other.example/file"])
  })

  test.each(["loopback", "inside", "metadata", "plain"])(
    "is refused when it is redirected to %s, before anything is asked there",
    async (path) => {
      expect((await refusal(`https://files.example/${path}`))?.code).toBe("bad_source")
      expect(seen).toEqual([`files.example/${path}`])
    }
  )

  test.each([
    "http://files.example/file",
    "https://127.0.0.1/file",
    "https://[::1]/file",
    "https://2130706433/file",
    "https://localhost/file",
    "https://printer.local/file",
    "https://inside.example/file",
    "https://u:p@files.example/file"
  ])("from %s is refused without a request", async (url) => {
    expect((await refusal(url))?.code).toBe("bad_source")
    expect(seen).toEqual([])
  })

  test("that is redirected in a circle, or answered with an error, is refused", async () => {
    expect((await refusal("https://files.example/circle"))?.message).toContain("redirects")
    expect((await refusal("https://files.example/missing"))?.message).toContain("404")
  })

  test("may have 25 MiB and not one byte more", async () => {
    const result = await get("https://files.example/limit")
    expect(result._tag === "Success" && result.success.byteLength).toBe(maxBytes)
    expect((await refusal("https://files.example/big"))?.code).toBe("zip_too_large")
  })

  test("that takes longer than 60 seconds is given up", () =>
    Effect.gen(function* () {
      const service = yield* SkillDownloads
      const fiber = yield* Effect.forkChild(Effect.result(service.get({ url: "https://files.example/slow" })))
      yield* Effect.yieldNow
      yield* TestClock.adjust("60 seconds")
      const result = yield* Fiber.join(fiber)
      expect(result._tag === "Failure" && result.failure.message).toContain("60 seconds")
    }).pipe(Effect.provide(Layer.merge(downloads, TestClock.layer())), Effect.runPromise))
})
