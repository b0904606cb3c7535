import { describe, expect, test } from "bun:test"
import * as BoundedBody from "../../src/connection/BoundedBody.ts"

const endless = (text: string) => {
  const chunk = new TextEncoder().encode(text)
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }))
}

describe("the body of an answer", () => {
  test("up to the limit is as it was", async () => {
    expect(await BoundedBody.bound(new Response("12345"), false, 5).text()).toBe("12345")
  })

  test("beyond the limit fails, also one that never ends", async () => {
    expect(BoundedBody.bound(new Response("123456"), false, 5).text()).rejects.toThrow(
      "too long (over 5 bytes)"
    )
    expect(BoundedBody.bound(endless("x"), false, 1000).text()).rejects.toThrow("too long")
  })

  for (const end of ["\n", "\r", "\r\n"])
    test(`of events, with lines that end in ${JSON.stringify(end)}, may be longer than the limit, one event not`, async () => {
      const event = `data: 12345${end}${end}`
      const text = event.repeat(10)
      expect(await BoundedBody.bound(new Response(text), true, 20).text()).toBe(text)
      const long = `data: 12345${end}data: 678901234${end}${end}`
      expect(BoundedBody.bound(new Response(event + long), true, 20).text()).rejects.toThrow("too long")
    })

  test("is quoted from its head, without waiting for an end that never comes", async () => {
    expect(await BoundedBody.head(endless("ab"), 5)).toBe("ababa")
    expect(await BoundedBody.head(new Response("abc"), 5)).toBe("abc")
  })
})
