import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { Scope } from "effect/Scope"
import * as StderrLog from "../../src/process/StderrLog.ts"
import { Home, raw, settled } from "../Fixture.ts"

const MiB = 1024 * 1024
let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cow-log-"))
  file = join(folder, "x.log")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const withFiles = <A>(use: (fs: FileSystem.FileSystem) => Effect.Effect<A, never, Scope>) =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(FileSystem.FileSystem, use)).pipe(Effect.provide(BunServices.layer))
  )
const sizes = () => [file, `${file}.1`].map((one) => (existsSync(one) ? statSync(one).size : 0))

test("a flood is bounded while the log is open, and its end is kept", async () => {
  const chunk = new Uint8Array(MiB).fill(120)
  const most = await withFiles((fs) =>
    Effect.gen(function* () {
      const log = yield* StderrLog.open(fs, file)
      let most = 0
      for (let at = 0; at < 60; at++) {
        log.push(chunk)
        yield* Effect.sleep(2)
        most = Math.max(most, ...sizes())
      }
      log.push(new TextEncoder().encode("\nError: the last words\n"))
      expect(log.lastWords()).toContain("the last words")
      return most
    })
  )
  expect(most).toBeLessThanOrEqual(5 * MiB)
  expect(Math.max(...sizes())).toBeLessThanOrEqual(5 * MiB)
  expect(readFileSync(file, "utf8").endsWith("Error: the last words\n")).toBe(true)
})

test("a log that was too long before is set aside, and nothing of a short one is lost", async () => {
  writeFileSync(file, "before\n")
  await withFiles((fs) => Effect.map(StderrLog.open(fs, file), (log) => log.push(Buffer.from("after\n"))))
  expect(readFileSync(file, "utf8")).toBe("before\nafter\n")
  writeFileSync(file, new Uint8Array(40 * MiB))
  await withFiles((fs) => Effect.map(StderrLog.open(fs, file), (log) => log.push(Buffer.from("anew\n"))))
  expect(readFileSync(file, "utf8")).toBe("anew\n")
})

test("a disk that takes nothing keeps nobody waiting, and what is left out is said once it takes again", async () => {
  let isStuck = true
  await withFiles((real) =>
    Effect.gen(function* () {
      const fs = FileSystem.makeNoop({
        ...real,
        open: (path, options) =>
          Effect.map(
            real.open(path, options),
            (handle) =>
              new Proxy(handle, {
                get: (target, key) =>
                  key === "writeAll"
                    ? (bytes: Uint8Array) =>
                        Effect.delay(target.writeAll(bytes), isStuck ? "200 millis" : "0 millis")
                    : Reflect.get(target, key, target)
              })
          )
      })
      const log = yield* StderrLog.open(fs, file)
      log.push(Buffer.from("first\n"))
      yield* Effect.sleep(20)
      const began = performance.now()
      for (let at = 0; at < 100_000; at++)
        log.push(Buffer.from("a line of a flood that nobody can write down\n"))
      expect(performance.now() - began).toBeLessThan(5_000)
      isStuck = false
    })
  )
  expect(readFileSync(file, "utf8").slice(0, 80)).toMatch(/^first\n\n\[\d+ bytes are left out here\]\n/)
})

test("a server that floods its standard error answers all the same", async () => {
  const home = new Home()
  home.write({ s: raw({ tools: ["echo"], floodMiB: 30 }) })
  try {
    await home.run(
      Effect.gen(function* () {
        expect((yield* (yield* settled).get("s")).status).toBe("ready")
      })
    )
    const log = join(home.dir, "logs", "mcp-s.log")
    expect(statSync(log).size).toBeLessThanOrEqual(5 * MiB)
    expect(statSync(log).size).toBeGreaterThan(0)
  } finally {
    home.remove()
  }
})
