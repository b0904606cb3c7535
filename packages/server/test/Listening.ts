/** The handler of the tests behind a free loopback port, for the time of a test. */
import * as Effect from "effect/Effect"
import { type Harness, withHandler } from "./ServerTest.ts"

export const listening = (body: (url: string, harness: Harness) => Promise<void>) =>
  withHandler((harness) =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Bun.serve({
            hostname: "127.0.0.1",
            port: 0,
            idleTimeout: 0,
            fetch: (request) => harness.handler(request)
          })
        ),
        (server) => Effect.promise(() => server.stop(true))
      )
      yield* Effect.promise(() => body(`http://127.0.0.1:${server.port}`, harness))
    })
  )
