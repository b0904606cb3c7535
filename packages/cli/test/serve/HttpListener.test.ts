import { expect, test } from "bun:test"
import net from "node:net"
import * as Effect from "effect/Effect"
import { listen } from "../../src/serve/HttpListener.ts"

/** The first line of the answer to a request that says how long its body is, and sends two bytes of it. */
const firstLine = (port: number, length: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () =>
      socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${length}\r\n\r\n{}`)
    )
    socket.on("error", reject)
    socket.on("data", (data) => {
      socket.destroy()
      resolve(data.toString().split("\r\n")[0] ?? "")
    })
  })

test("a body however long reaches the handler, whose words the refusal is in", () =>
  Effect.gen(function* () {
    const handler = (request: Request) =>
      Promise.resolve(new Response(null, { status: request.headers.has("content-length") ? 418 : 500 }))
    const address = yield* listen({ host: "127.0.0.1", port: 0 }, Effect.succeed(handler))
    for (const length of ["1000000000", "99999999999999"])
      expect(yield* Effect.promise(() => firstLine(Number(new URL(address).port), length))).toContain("418")
  }).pipe(Effect.scoped, Effect.runPromise))
