import { afterEach, describe, expect, test } from "bun:test"
import type { Model } from "@cow/core"
import * as fc from "fast-check"
import * as ModelErrorDecoder from "../src/ModelErrorDecoder.ts"
import * as RetryAfter from "../src/RetryAfter.ts"
import { failure, key, settings } from "./Fixture.ts"
import { json, serve, type Wire } from "./Wire.ts"

const open: Array<Wire> = []
afterEach(async () => {
  for (const wire of open.splice(0)) await wire.stop()
})

/** What the answer becomes on each of the three wires. */
const decoded = async (status: number, body: unknown, headers: Record<string, string> = {}) => {
  const errors: Array<Model.ModelError> = []
  for (const type of ["anthropic", "openai", "openai-compatible"] as const) {
    const wire = serve(json(status, body, headers))
    open.push(wire)
    const { error } = await failure(settings(type, `${wire.url}/v1`))
    errors.push(error as Model.ModelError)
    expect(wire.received.length).toBe(1)
  }
  return errors
}

const both = (type: string, message: string) => ({
  type: "error",
  error: { type, message, code: null, param: null }
})
const reasons = async (...given: Parameters<typeof decoded>) => [
  ...new Set((await decoded(...given)).map((error) => error.reason._tag))
]

describe("answers of a provider", () => {
  for (const status of [500, 502, 503, 504, 529])
    test(`${status} is an overload`, async () => {
      const errors = await decoded(status, both("overloaded_error", "overloaded"))
      expect(errors.map((error) => [error.reason._tag, error.status])).toEqual(
        Array(3).fill(["Overloaded", status])
      )
    })

  test("a failure says where it came from and what to look at next", async () => {
    for (const [status, next] of [
      [500, "try again later"],
      [404, "is base_url right"]
    ] as const)
      for (const { message } of await decoded(status, both("error", "no"))) {
        expect(message).toMatch(/ at http:\/\/(127\.0\.0\.1|localhost):\d+ answered /)
        expect(message).toContain(next)
      }
    const { error } = await failure(settings("openai-compatible", "http://127.0.0.1:9/v1"))
    expect(error?.message).toMatch(/at http:\/\/127\.0\.0\.1:9: nothing listens there.*base_url right\?/)
  })

  test("a page of a proxy in place of JSON is judged by its status", async () => {
    expect(await reasons(502, "<html>Bad gateway</html>", { "content-type": "text/html" })).toEqual([
      "Overloaded"
    ])
  })

  test("429 says how long to wait, in seconds, as a date, or in milliseconds", async () => {
    const body = both("rate_limit_error", "slow down")
    for (const error of await decoded(429, body, { "retry-after": "7" }))
      expect(error.reason).toMatchObject({ _tag: "RateLimited", retryAfterMillis: 7000 })
    for (const error of await decoded(429, body, { "retry-after-ms": "1500", "retry-after": "9" }))
      expect(error.reason).toMatchObject({ retryAfterMillis: 1500 })
    for (const error of await decoded(429, body)) expect(error.reason).not.toHaveProperty("retryAfterMillis")
    const hour = new Date(Date.now() + 3_600_000).toUTCString()
    for (const error of await decoded(429, body, { "retry-after": hour })) {
      const wait = error.reason._tag === "RateLimited" ? (error.reason.retryAfterMillis ?? 0) : 0
      expect(wait).toBeGreaterThan(3_590_000)
      expect(wait).toBeLessThanOrEqual(3_600_000)
    }
  })

  test("no money left is not a wait", async () => {
    const body = {
      error: {
        message: "You exceeded your current quota",
        type: "insufficient_quota",
        code: "insufficient_quota"
      }
    }
    const wire = serve(json(429, body))
    open.push(wire)
    expect((await failure(settings("openai-compatible", wire.url))).error.reason._tag).toBe("InvalidRequest")
  })

  for (const status of [401, 403])
    test(`${status} is a refused key, which is nowhere in the text`, async () => {
      for (const error of await decoded(status, both("authentication_error", `wrong key ${key} ${key}`))) {
        expect(error.reason._tag).toBe("Unauthorized")
        expect(JSON.stringify(error)).not.toContain(key)
        expect(error.message.split("\n").length).toBe(1)
      }
    })

  for (const message of [
    "bad model",
    "max_tokens must have a value",
    "each field is required",
    "code 15000",
    "there are 500 reasons",
    "Failed after 429 attempts"
  ])
    test(`400 "${message}" is a wrong request and nothing else`, async () => {
      for (const error of await decoded(400, both("invalid_request_error", message)))
        expect(error.reason).toMatchObject({ _tag: "InvalidRequest", pairing: false })
    })

  for (const message of [
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
    "unexpected `tool_use_id` found in `tool_result` blocks",
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'",
    "No tool output found for function call call_1."
  ])
    test(`400 "${message.slice(0, 40)}…" is about calls and results`, async () => {
      for (const error of await decoded(400, both("invalid_request_error", message)))
        expect(error.reason).toMatchObject({ _tag: "InvalidRequest", pairing: true })
    })

  test("500 and 429 stay what they are whatever they say about tools", async () => {
    expect(await reasons(500, both("api_error", "500 tool_result could not be stored"))).toEqual([
      "Overloaded"
    ])
    expect(await reasons(429, both("rate_limit_error", "429 too many tool_use retry"))).toEqual([
      "RateLimited"
    ])
    expect(await reasons(429, both("rate_limit_error", "too many tokens per minute"))).toEqual([
      "RateLimited"
    ])
  })

  for (const [type, message] of [
    ["invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"],
    ["request_too_large", "Request exceeds the maximum size"],
    ["invalid_request_error", "too many tokens"],
    [
      "invalid_request_error",
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens."
    ],
    ["invalid_request_error", "Your input exceeds the context window of this model."],
    [
      "invalid_request_error",
      "The input token count (1300000) exceeds the maximum number of tokens allowed (1048576)."
    ],
    ["invalid_request_error", "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"]
  ] as const)
    test(`"${message.slice(0, 50)}" is a context overflow`, async () => {
      expect(await reasons(type === "request_too_large" ? 413 : 400, both(type, message))).toEqual([
        "ContextOverflow"
      ])
    })

  test("the code context_length_exceeded is enough", async () => {
    const wire = serve(
      json(400, { error: { message: "no", type: "invalid_request_error", code: "context_length_exceeded" } })
    )
    open.push(wire)
    expect((await failure(settings("openai", wire.url))).error.reason._tag).toBe("ContextOverflow")
  })

  test("413 of a proxy, a large file and a large image are no overflow of the context", async () => {
    expect(
      await reasons(413, "<html>413 Request Entity Too Large</html>", { "content-type": "text/html" })
    ).toEqual(["InvalidRequest"])
    expect(await reasons(413, "413 Request Entity Too Large", { "content-type": "text/plain" })).toEqual([
      "InvalidRequest"
    ])
    for (const message of ["file too large", "image too large", "image exceeds the maximum size of 5 MB"])
      expect(await reasons(400, both("invalid_request_error", message))).toEqual(["InvalidRequest"])
  })
})

const source = {
  provider: "p",
  baseUrl: "https://user:pw@host.example/v1?key=k",
  keyPlace: "P_KEY",
  secrets: [],
  now: 0
}

describe("what never was an answer", () => {
  test("resets, time-outs and aborted connections are transport errors that name the host and no more", () => {
    for (const error of [
      Object.assign(new Error("The socket connection was closed unexpectedly"), { code: "ECONNRESET" }),
      new DOMException("The operation timed out.", "TimeoutError"),
      new TypeError("fetch failed", {
        cause: Object.assign(new Error("connect ETIMEDOUT"), { code: "ETIMEDOUT" })
      })
    ]) {
      const { reason, message } = ModelErrorDecoder.decode(error, source)
      expect(reason._tag).toBe("Transport")
      expect(message).toContain("https://host.example")
      expect(message).not.toContain("pw")
    }
  })

  test("an error event with a numeric code is judged by it", () => {
    const reason = (error: unknown) => ModelErrorDecoder.decode(error, source).reason._tag
    expect(reason({ message: "upstream", code: 502 })).toBe("Overloaded")
    expect(reason({ message: "slow", code: "429" })).toBe("RateLimited")
    expect(reason({ message: "code 15000", code: 15000 })).toBe("InvalidRequest")
    expect(reason({ type: "error", error: { type: "overloaded_error", message: "x" } })).toBe("Overloaded")
    expect(reason({ type: "error", error: { type: "request_too_large", message: "x" } })).toBe(
      "ContextOverflow"
    )
  })
})

test("any thrown value becomes an error of one line without the key", () => {
  fc.assert(
    fc.property(fc.anything(), fc.string(), (value, words) => {
      for (const error of [value, new Error(`${words}${key}${words}`), { message: `${words}\n${key}` }]) {
        const decoded = ModelErrorDecoder.decode(error, { ...source, secrets: [key] })
        expect(decoded._tag).toBe("ModelError")
        expect(decoded.message).not.toContain(key)
        expect(decoded.message).not.toContain("\n")
        expect(decoded.message.length).toBeLessThanOrEqual(520)
      }
    })
  )
})

test("a wait is never negative and never made up", () => {
  expect(RetryAfter.millis({ "retry-after": "Thu, 01 Jan 1970 00:00:10 GMT" }, [], 4000)).toBe(6000)
  expect(RetryAfter.millis({ "retry-after": "Thu, 01 Jan 1970 00:00:10 GMT" }, [], 60_000)).toBe(0)
  expect(RetryAfter.millis({ "retry-after": "soon" }, [], 0)).toBeUndefined()
  expect(RetryAfter.millis({ "retry-after": "-5" }, [], 0)).toBeUndefined()
  expect(
    RetryAfter.millis({}, [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }], 0)
  ).toBe(34_500)
  expect(RetryAfter.millis({}, [null, 3, {}], 0)).toBeUndefined()
})
