import { describe, expect, test } from "bun:test"
import { RunStore, RunStoreError } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { withHandler } from "../ServerTest.ts"

const secret = "/home/me/.cow/state.db"

const unreadable = new RunStoreError({ message: `cannot open ${secret}`, cause: new Error(secret) })

/** A store that is as broken as can be. */
const broken = (fault: Effect.Effect<never, RunStoreError>) =>
  Layer.mock(RunStore, {
    get: () => fault,
    list: () => fault,
    endInterrupted: fault,
    events: () => fault,
    create: () => Effect.orDie(fault)
  })

const requests: ReadonlyArray<readonly [string, string, object?]> = [
  ["GET", "/api/runs"],
  ["GET", "/api/runs/r"],
  ["GET", "/api/runs/r/events"],
  ["POST", "/api/runs/r/approval", { approved: true }],
  ["POST", "/api/runs/r/cancel"],
  ["POST", "/api/runs/r/steer", { text: "left" }],
  ["POST", "/api/runs", { prompt: "hello" }]
]

const faults: Record<string, Effect.Effect<never, RunStoreError>> = {
  fails: Effect.fail(unreadable),
  dies: Effect.die(new Error(secret)),
  throws: Effect.suspend(() => {
    throw new TypeError(secret)
  })
}

describe("a fault of the server's own", () => {
  test.each(Object.entries(faults))(
    "is 500 on every route when the store %s, and shows nothing of the inside",
    (_, fault) =>
      withHandler(
        async ({ send }) => {
          for (const [method, path, body] of requests) {
            const response = await send(method, path, body)
            expect([path, response.status, await response.json()]).toEqual([
              path,
              500,
              { error: { code: "internal", message: expect.stringContaining("log") } }
            ])
          }
        },
        {},
        broken(fault)
      )
  )
})
