import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { McpManager } from "../../src/McpManager.ts"
import { alive, Home, raw, until } from "../Fixture.ts"

let home: Home
beforeEach(() => {
  home = new Home()
})
afterEach(() => home.remove())

const settled = Effect.flatMap(McpManager, (manager) => manager.waitSettled(8))
const pids = () =>
  home.logged().flatMap((one) => [one.pid, ...(typeof one.child === "number" ? [one.child] : [])])
const startCow = async () => {
  const cow = Bun.spawn(
    [process.execPath, join(import.meta.dir, "..", "fixtures", "manager-process.ts"), home.dir],
    {
      stdout: "pipe"
    }
  )
  const { value } = await cow.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe("ready\n")
  return cow
}
const kill = async (cow: { kill: (signal: "SIGKILL") => void; exited: Promise<number> }) => {
  cow.kill("SIGKILL")
  await cow.exited
}

describe("a process", () => {
  test("left by a killed Cow is ended at the next start, though its server is configured no more", async () => {
    home.write({
      tough: raw({ ignoreEnd: true, log: home.log }),
      parent: raw({ grandchild: true, log: home.log })
    })
    await kill(await startCow())
    const left = [...new Set(pids())]
    expect(left.length).toBe(3)
    // One server ignores the end of its input; the child of the other outlives it.
    expect(left.filter(alive).length).toBeGreaterThanOrEqual(2)
    home.write({})
    await home.run(
      Effect.andThen(
        settled,
        until(
          "all are gone",
          Effect.sync(() => left.filter(alive).length === 0)
        )
      )
    )
    expect(readdirSync(join(home.dir, "run"))).toEqual([])
  })

  test("of another living Cow is left alone", async () => {
    home.write({ tough: raw({ ignoreEnd: true, log: home.log }) })
    const cow = await startCow()
    const [first] = pids()
    await home.run(Effect.andThen(settled, Effect.sleep(300)))
    expect(first !== undefined && alive(first)).toBe(true)
    await kill(cow)
    home.write({})
    await home.run(
      Effect.andThen(
        settled,
        until(
          "it is gone",
          Effect.sync(() => pids().filter(alive).length === 0)
        )
      )
    )
  }, 20_000)

  test("that was left by a killed Cow is ended at the next start, a reused id is not", async () => {
    const child = Bun.spawn(["sh", "-c", "sleep 600 & sleep 600"], { detached: true } as object)
    const other = Bun.spawn(["sleep", "600"], { detached: true } as object)
    const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19] ?? ""
    mkdirSync(join(home.dir, "run"))
    const groups = [
      { server: "gone", members: [{ pid: child.pid, start: stat }] },
      { server: "reused", members: [{ pid: other.pid, start: "1" }] }
    ]
    await Bun.write(
      join(home.dir, "run", "mcp-999999.json"),
      JSON.stringify({ owner: { pid: 999999, start: "1" }, groups })
    )
    await home.run(
      Effect.gen(function* () {
        yield* settled
        yield* until(
          "it is gone",
          Effect.sync(() => !alive(child.pid))
        )
        yield* until(
          "its file too",
          Effect.sync(() => !existsSync(join(home.dir, "run", "mcp-999999.json")))
        )
        expect(alive(other.pid)).toBe(true)
      })
    )
    other.kill("SIGKILL")
    await other.exited
  })
})

test("starting and stopping many times leaves no process and no open file", async () => {
  home.write({ a: raw({ log: home.log, tools: ["x"] }), bad: raw({ exit: 1, log: home.log }) })
  const once = () => home.run(settled)
  await once()
  const before = readdirSync("/proc/self/fd").length
  for (let n = 0; n < 15; n++) await once()
  expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before)
  expect(pids().filter(alive)).toEqual([])
}, 30_000)
