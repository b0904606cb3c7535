import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { McpManager } from "../../src/McpManager.ts"
import { alive, Home, raw, until } from "../Fixture.ts"

test("a daemon that a server has put into a session of its own ends with the server, though it ignores TERM", async () => {
  const home = new Home()
  const file = join(home.dir, "daemon")
  const pid = () => Number(readFileSync(file, "utf8"))
  home.write({ s: raw({ tools: ["echo"], daemon: file }) })
  await home.run(
    Effect.gen(function* () {
      const manager = yield* McpManager
      yield* manager.waitSettled(10)
      yield* until(
        "the daemon",
        Effect.sync(() => existsSync(file) && pid() > 0)
      )
      expect(alive(pid())).toBe(true)
    })
  )
  const isLeft = alive(pid())
  if (isLeft) process.kill(pid(), "SIGKILL")
  home.remove()
  expect(isLeft).toBe(false)
})
