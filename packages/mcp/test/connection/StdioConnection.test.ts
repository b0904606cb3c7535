// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as they stand in mcp.json
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import { McpManager } from "../../src/McpManager.ts"
import { alive, call, Home, raw, settled, until } from "../Fixture.ts"

let home: Home
beforeEach(() => {
  home = new Home()
})
afterEach(() => home.remove())

const textOf = (name: string, input = {}) => Effect.map(call(name, input), ToolResult.textOf)
describe("the process of a server", () => {
  test("gets single arguments, the folder, the allowed variables and its own", async () => {
    mkdirSync(join(home.dir, "else where"))
    const given = {
      HOME: "/h",
      PATH: process.env.PATH,
      WORD: "two words",
      MY_API_KEY: "secret",
      HTTPS_PROXY: "p"
    }
    home.write({
      v: raw(
        { tools: ["argv", "cwd", "env"] },
        { cwd: "${WORD:-x}/../else where", env: { MODE: 1, TOKEN: "${WORD}!", FALL: "${NONE:-a b}" } },
        "--note=${WORD}",
        "* ' \""
      )
    })
    mkdirSync(join(home.dir, "two words"))
    await home.run(
      Effect.gen(function* () {
        yield* settled
        expect(JSON.parse(yield* textOf("mcp__v__argv"))).toEqual(["--note=two words", "* ' \""])
        expect(yield* textOf("mcp__v__cwd")).toBe(realpathSync(join(home.dir, "else where")))
        const env = JSON.parse(yield* textOf("mcp__v__env"))
        expect(env).toMatchObject({
          HOME: "/h",
          HTTPS_PROXY: "p",
          MODE: "1",
          TOKEN: "two words!",
          FALL: "a b"
        })
        for (const name of ["MY_API_KEY", "WORD"]) expect(env[name]).toBeUndefined()
      }),
      { env: given }
    )
  })

  test("ends with its whole group, although it ignores the end of input and TERM and has a child", async () => {
    home.write({
      tough: raw({ ignoreEnd: true, grandchild: true, log: home.log, tools: ["echo"] }),
      stuck: raw({ hang: true, ignoreEnd: true, grandchild: true, log: home.log })
    })
    await home.run(
      Effect.gen(function* () {
        const manager = yield* McpManager
        yield* manager.waitSettled(8, ["tough"])
        yield* until(
          "both have started",
          Effect.sync(() => home.logged().filter((one) => one.event === "grandchild").length === 2)
        )
      })
    )
    const pids = home
      .logged()
      .flatMap((one) => [one.pid, ...(typeof one.child === "number" ? [one.child] : [])])
    expect(new Set(pids).size).toBe(4)
    expect(pids.filter(alive)).toEqual([])
    expect(existsSync(join(home.dir, "run"))).toBe(true)
    expect(existsSync(join(home.dir, "run", `mcp-${process.pid}.json`))).toBe(false)
  })

  test("that reads nothing is not sent more than can be held for it", async () => {
    home.write({ s: raw({ tools: ["deaf", "echo"] }, { timeout: 1 }) })
    await home.run(
      Effect.gen(function* () {
        yield* settled
        yield* call("mcp__s__deaf")
        const text = "x".repeat(10_000_000)
        const calls = Array.from({ length: 10 }, () => textOf("mcp__s__echo", { text }))
        const told = yield* Effect.all(calls, { concurrency: "unbounded" })
        const refused = told.filter((one) => one.includes("does not read what it is sent"))
        expect(refused.length).toBeGreaterThan(0)
        expect(told.length - refused.length).toBe(told.filter((one) => one.includes("timed out")).length)
        expect(told.length - refused.length).toBeGreaterThanOrEqual(6)
      })
    )
  })
})
