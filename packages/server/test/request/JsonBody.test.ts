import { describe, expect, test } from "bun:test"
import { errorOf, type Harness, linesOf, withHandler } from "../ServerTest.ts"

/** Any bytes as the body of `POST /api/runs`. */
const post = (
  { handler }: Harness,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {}
) => handler(new Request("http://127.0.0.1:4000/api/runs", { method: "POST", body, headers }))

const good = JSON.stringify({ prompt: "hello" })

describe("the body of a request", () => {
  test.each([
    "application/json",
    "application/json; charset=utf-8",
    'Application/JSON;charset="UTF-8"',
    "application/merge-patch+json",
    "text/plain;charset=UTF-8",
    "application/x-www-form-urlencoded",
    ""
  ])("of type %j is read as JSON", (type) =>
    withHandler(async (harness) => {
      const response = await post(harness, new TextEncoder().encode(good), { "content-type": type })
      expect(await linesOf(response)).toHaveLength(3)
    })
  )

  test.each([
    [{ "content-type": "application/xml" }, "application/xml"],
    [{ "content-type": "multipart/form-data; boundary=x" }, "multipart/form-data"],
    [{ "content-type": "image/png" }, "image/png"],
    [{ "content-type": "application/jsonp" }, "application/jsonp"],
    [{ "content-type": "%%%" }, "%%%"],
    [{ "content-type": "application/json; charset=utf-16" }, "utf-16"],
    [{ "content-type": "application/json", "content-encoding": "gzip" }, "gzip"]
  ])("with %j is refused, and the reason names what is wrong", (headers, named) =>
    withHandler(async (harness) => {
      const response = await post(harness, good, headers)
      expect(await response.clone().text()).toContain(named)
      expect(await errorOf(response)).toBe("415 unsupported_media_type")
      expect(harness.log.lines).toEqual([])
    })
  )

  test("that is no UTF-8 is no JSON: nothing is replaced in silence", () =>
    withHandler(async (harness) => {
      const bytes = new Uint8Array([...new TextEncoder().encode('{"prompt":"a'), 0xff, 0xfe, 0x22, 0x7d])
      expect(await errorOf(await post(harness, bytes))).toBe("400 bad_json")
      expect(harness.log.lines).toEqual([])
    }))

  test("with a byte order mark is JSON", () =>
    withHandler(async (harness) => {
      expect(await linesOf(await post(harness, `\uFEFF${good}`))).toHaveLength(3)
    }))

  test("that does not say how long it is, is read no further than the bound", () =>
    withHandler(async (harness) => {
      let pulled = 0
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled++
          controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20))
        }
      })
      expect(await errorOf(await post(harness, endless))).toBe("413 body_too_large")
      expect(pulled).toBeLessThan(20)
    }))

  test.each([
    ["{}", ["prompt: is missing"]],
    ['{"promt":"hello"}', ["promt: there is no such field", "prompt: is missing"]],
    ['{"prompt":1,"model":2}', ["prompt: ", "model: "]],
    ["[]", ["body: "]],
    [`{${Array.from({ length: 40 }, (_, at) => `"k${at}":1`).join()}}`, ["k0: ", "and 36 more"]]
  ])("%s is refused with every place that is wrong, in one short line", (body, named) =>
    withHandler(async (harness) => {
      const response = await post(harness, body)
      expect(response.status).toBe(422)
      const { error } = (await response.json()) as { error: { code: string; message: string } }
      expect(error.code).toBe("invalid_body")
      for (const one of named) expect(error.message).toContain(one)
      expect(error.message).not.toContain("\n")
      expect(error.message.length).toBeLessThan(300)
    })
  )
})
