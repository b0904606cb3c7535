import { afterEach, beforeEach, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { McpManager } from "../../src/McpManager.ts"
import { alive, Home, raw } from "../Fixture.ts"

let home: Home
beforeEach(() => {
  home = new Home()
})
afterEach(() => home.remove())

const startAndStop = async (switches: object, entry: object = {}) => {
  home.write({ s: raw({ log: home.log, ...switches }, entry) })
  await home.run(Effect.flatMap(McpManager, (manager) => manager.waitSettled(8, ["s"])))
  const log = home.logged()
  expect(log.filter(({ pid }) => alive(pid))).toEqual([])
  return (event: string) => log.find((one) => one.event === event)?.at
}

test("a server that does not leave at the end of its input is told to a moment later", async () => {
  const at = await startAndStop({ leaveMillis: 60_000 })
  expect(at("left")).toBeUndefined()
  expect(Number(at("term")) - Number(at("end"))).toBeLessThan(900)
})

test("stop_grace gives a server its time to leave by itself", async () => {
  const at = await startAndStop({ leaveMillis: 600 }, { stop_grace: 20 })
  expect([at("term"), typeof at("left")]).toEqual([undefined, "number"])
})

test("a server that ignores every request to leave is gone all the same", async () => {
  const at = await startAndStop({ ignoreEnd: true, grandchild: true })
  expect(typeof at("end")).toBe("number")
})
