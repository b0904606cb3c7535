import { describe, expect, test } from "bun:test"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { AtomicFile } from "../../src/index.ts"

const write = (file: string, content: string, mode?: number) =>
  Effect.runPromiseExit(Effect.provide(AtomicFile.write(file, content, mode), BunServices.layer))

const inFolder = async (body: (folder: string) => Promise<void>) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "cow-atomic-"))
  try {
    await body(folder)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

const modeOf = (file: string) => fs.statSync(file).mode & 0o777

describe("AtomicFile", () => {
  test("writes a new file with its folders, in the mode asked for, and leaves nothing beside it", () =>
    inFolder(async (folder) => {
      const file = path.join(folder, "a/b/c.json")
      await write(file, "one", 0o600)
      expect(fs.readFileSync(file, "utf8")).toBe("one")
      expect(modeOf(file)).toBe(0o600)
      expect(fs.readdirSync(path.dirname(file))).toEqual(["c.json"])
    }))

  test("keeps the mode of a file that is there, and is a new file for whoever has the old one open", () =>
    inFolder(async (folder) => {
      const file = path.join(folder, "run.sh")
      fs.writeFileSync(file, "old", { mode: 0o755 })
      const open = fs.openSync(file, "r")
      await write(file, "new", 0o600)
      expect(fs.readFileSync(file, "utf8")).toBe("new")
      expect(modeOf(file)).toBe(0o755)
      expect(fs.readFileSync(open, "utf8")).toBe("old")
      fs.closeSync(open)
    }))

  test("a link stays a link: what it points at is replaced", () =>
    inFolder(async (folder) => {
      fs.writeFileSync(path.join(folder, "real"), "old")
      fs.symlinkSync("real", path.join(folder, "link"))
      await write(path.join(folder, "link"), "new")
      expect(fs.lstatSync(path.join(folder, "link")).isSymbolicLink()).toBe(true)
      expect(fs.readFileSync(path.join(folder, "real"), "utf8")).toBe("new")
    }))

  test("writers at the same time leave one of their texts, whole, and nothing beside it", () =>
    inFolder(async (folder) => {
      const file = path.join(folder, "f")
      const texts = Array.from({ length: 20 }, (_, at) => `${at}`.repeat(10_000))
      const exits = await Promise.all(texts.map((text) => write(file, text)))
      expect(exits.every(Exit.isSuccess)).toBe(true)
      expect(texts).toContain(fs.readFileSync(file, "utf8"))
      expect(fs.readdirSync(folder)).toEqual(["f"])
    }))

  test("where it cannot be written the fault is told and nothing is left", () =>
    inFolder(async (folder) => {
      fs.mkdirSync(path.join(folder, "is-a-folder/inner"), { recursive: true })
      expect(Exit.isFailure(await write(path.join(folder, "is-a-folder"), "x"))).toBe(true)
      expect(fs.readdirSync(folder)).toEqual(["is-a-folder"])
    }))
})
