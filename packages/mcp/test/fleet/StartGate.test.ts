import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { McpManager } from "../../src/McpManager.ts"
import { Home, raw } from "../Fixture.ts"

let home: Home
beforeEach(() => {
  home = new Home()
})
afterEach(() => home.remove())

const status = Effect.gen(function* () {
  const [server] = yield* (yield* McpManager).list
  return server?.status
})

test("servers are named but not started during the head start, unless somebody waits for them", async () => {
  home.write({ good: raw({ tools: ["echo"] }) })
  await home.run(
    Effect.gen(function* () {
      const manager = yield* McpManager
      yield* manager.start
      for (let i = 0; i < 100; i++) yield* Effect.yieldNow
      expect(yield* status).toBe("pending")
      expect(yield* manager.waitSettled(8)).toEqual([])
      expect(yield* status).toBe("ready")
    }),
    { firstStart: Duration.hours(1) }
  )
})

test("servers start by themselves when the head start is over", async () => {
  home.write({ good: raw({ tools: ["echo"] }) })
  await home.run(
    Effect.gen(function* () {
      yield* (yield* McpManager).start
      const begun = Effect.repeat(Effect.delay(status, "20 millis"), { until: (now) => now === "ready" })
      expect(yield* Effect.timeout(begun, "8 seconds")).toBe("ready")
    }),
    { firstStart: Duration.millis(30) }
  )
})

test("on demand only the servers that somebody waits for or tries are started", async () => {
  home.write(Object.fromEntries(["a", "b", "c"].map((name) => [name, raw({ log: `${home.log}-${name}` })])))
  const started = () => ["a", "b", "c"].filter((name) => existsSync(`${home.log}-${name}`))
  await home.run(
    Effect.gen(function* () {
      const manager = yield* McpManager
      yield* manager.start
      expect(yield* manager.waitSettled(8, ["b"])).toEqual([])
      expect((yield* manager.test("c")).ok).toBe(true)
      expect((yield* manager.list).map(({ status }) => status)).toEqual(["pending", "ready", "pending"])
      expect(started()).toEqual(["b", "c"])
      yield* manager.waitSettled(8)
      expect((yield* manager.list).map(({ status }) => status)).toEqual(["ready", "ready", "ready"])
    }),
    { firstStart: "on demand" }
  )
})
