import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { errorOf, withHandler } from "./ServerTest.ts"

describe("the order of checks", () => {
  test("host and origin come before the token, the token before the path", () =>
    withHandler(
      async ({ send }) => {
        expect(await errorOf(await send("POST", "/none", "{", { origin: "https://evil.example" }))).toBe(
          "403 forbidden_origin"
        )
        expect(await errorOf(await send("GET", "/none", undefined, { host: "evil.example" }))).toBe(
          "403 forbidden_origin"
        )
        for (const path of ["/none", "/healthz", "/openapi.json", "/api/runs/x"])
          expect(await errorOf(await send("GET", path))).toBe("401 unauthorized")
        expect((await send("GET", "/none")).headers.get("www-authenticate")).toBe("Bearer")
        expect(await errorOf(await send("GET", "/none", undefined, { authorization: "Bearer t" }))).toBe(
          "404 not_found"
        )
      },
      { token: "t" }
    ))

  test("the path comes before the method, the method before the body, JSON before its shape", () =>
    withHandler(async ({ log, send }) => {
      expect(await errorOf(await send("POST", "/api/none", "{"))).toBe("404 not_found")
      const wrong = await send("PUT", "/api/runs", "{")
      expect(wrong.headers.get("allow")).toBe("GET, POST")
      expect(await errorOf(wrong)).toBe("405 method_not_allowed")
      expect(await errorOf(await send("POST", "/api/runs", "{"))).toBe("400 bad_json")
      expect(await errorOf(await send("POST", "/api/runs"))).toBe("400 bad_json")
      expect(await errorOf(await send("POST", "/api/runs", []))).toBe("422 invalid_body")
      expect(log.lines).toEqual([])
    }))

  test("a body that is longer than any prompt is refused, whatever it says of its length", () =>
    withHandler(async ({ log, send }) => {
      const prompt = "a".repeat(10 * 1024 * 1024)
      expect(await errorOf(await send("POST", "/api/runs", { prompt }))).toBe("413 body_too_large")
      expect(log.lines).toEqual([])
    }))

  test("a body is checked before the run is looked up", () =>
    withHandler(async ({ send }) => {
      expect(await errorOf(await send("POST", "/api/runs/none/approval", { approved: "yes" }))).toBe(
        "422 invalid_body"
      )
      expect(await errorOf(await send("POST", "/api/runs/none/approval", { approved: true }))).toBe(
        "404 run_not_found"
      )
    }))

  test.each(["/api/runs/", "/api/runs/%", "//healthz", "/healthz/", "/API/runs"])("%s is no path", (path) =>
    withHandler(async ({ send }) => {
      expect(await errorOf(await send("GET", path))).toBe("404 not_found")
    })
  )
})

describe("errors", () => {
  test("a wrong field is named, in one line of JSON, and no other site may read it", () =>
    withHandler(async ({ send }) => {
      const response = await send("POST", "/api/runs", { prompt: 1 })
      expect(response.headers.get("content-type")).toContain("application/json")
      expect(response.headers.has("access-control-allow-origin")).toBe(false)
      const body = (await response.json()) as { error: { message: string } }
      expect(body.error.message).toStartWith("prompt: ")
      expect(body.error.message).not.toContain("\n")
      expect(Object.keys(body)).toEqual(["error"])
    }))

  test("an unknown key is refused by name", () =>
    withHandler(async ({ send }) => {
      const response = await send("POST", "/api/runs", { prompt: "hello", perssona: "p1" })
      expect(await response.text()).toContain("perssona")
      expect(response.status).toBe(422)
    }))
})

describe("about the server", () => {
  test("healthz says that it is there", () =>
    withHandler(async ({ send }) => {
      const response = await send("GET", "/healthz")
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ status: "ok", version: "0.1.0", mcp: [] })
      const head = await send("HEAD", "/healthz")
      expect(head.status).toBe(200)
      expect(await head.text()).toBe("")
    }))

  test("the OpenAPI document lists every route with its body and codes", () =>
    withHandler(async ({ send }) => {
      const document = (await (await send("GET", "/openapi.json")).json()) as {
        openapi: string
        paths: Record<string, Record<string, { responses: object; requestBody?: { content: object } }>>
      }
      expect(document.openapi).toBe("3.1.0")
      expect(Object.keys(document.paths).sort()).toEqual([
        "/api/runs",
        "/api/runs/{id}",
        "/api/runs/{id}/approval",
        "/api/runs/{id}/cancel",
        "/api/runs/{id}/events",
        "/api/runs/{id}/steer",
        "/healthz",
        "/openapi.json"
      ])
      const start = document.paths["/api/runs"]?.post
      expect(Object.keys(start?.responses ?? {})).toEqual([
        "200",
        "400",
        "401",
        "403",
        "404",
        "409",
        "413",
        "415",
        "422",
        "500"
      ])
      expect(start?.requestBody?.content).toMatchObject({
        "application/json": { schema: { type: "object", required: ["prompt"] } }
      })
    }))

  test("it does not start on the network without a token", async () => {
    const failure = withHandler(() => Effect.void, { host: "0.0.0.0" })
    expect(String(await failure.catch((error: unknown) => error))).toContain("token")
  })
})
