import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import { McpManager } from "../../src/McpManager.ts"
import { call, Home } from "../Fixture.ts"

const noisy = join(import.meta.dir, "..", "fixtures", "noisy-server.mjs")

let home: Home
beforeEach(() => {
  home = new Home()
})
afterEach(() => home.remove())

const answers = (...names: ReadonlyArray<string>) => {
  home.write({ n: { command: process.execPath, args: [noisy] } })
  return home.run(
    Effect.gen(function* () {
      yield* (yield* McpManager).waitSettled(8)
      const results = yield* Effect.forEach(names, (name) => call(`mcp__n__${name}`), {
        concurrency: "unbounded"
      })
      return results.map(ToolResult.textOf)
    })
  )
}

describe("the answer of a call", () => {
  test("is found among banners, log lines and notifications", async () => {
    expect(await answers("noisy")).toEqual(["noisy"])
  })

  test("is not that of another id, and a request of the server with the same id is no answer", async () => {
    expect(await answers("foreign")).toEqual(["foreign"])
  })

  test("is each call's own when two are answered in reverse order", async () => {
    expect(await answers("first", "second")).toEqual(["first", "second"])
  })

  test("is whole when it is cut in the middle of a character", async () => {
    expect(await answers("split")).toEqual(["汉🐄"])
  })

  test("that comes after the timeout is dropped, and the next call gets its own", async () => {
    home.write({ n: { command: process.execPath, args: [noisy], timeout: 0.6 } })
    const texts = await home.run(
      Effect.gen(function* () {
        yield* (yield* McpManager).waitSettled(8)
        const late = yield* call("mcp__n__late")
        const next = yield* call("mcp__n__quick")
        return [late, next].map(ToolResult.textOf)
      })
    )
    expect(texts).toEqual(['{"status":"timeout","error":"MCP tool timed out after 0.6s"}', "quick"])
  })
})
