import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as PlatformError from "effect/PlatformError"
import * as AtomicWrite from "../../src/files/AtomicWrite.ts"

const root = mkdtempSync(join(tmpdir(), "cow-atomic-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const refuse = (code: string, method: string) =>
  Effect.fail(
    PlatformError.systemError({
      _tag: "Unknown",
      module: "FileSystem",
      method,
      cause: Object.assign(new Error(code), { code })
    })
  )

/** A write whose step `method` the system refuses. */
const write = (file: string, method: "writeFile" | "rename" | "chmod", code: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    // A full disk takes a part of the bytes first.
    const broken: Partial<FileSystem.FileSystem> = {
      [method]: (path: string) =>
        method === "writeFile"
          ? Effect.andThen(fs.writeFileString(path, "ha"), refuse(code, method))
          : refuse(code, method)
    }
    return yield* Effect.flip(AtomicWrite.write(file, new TextEncoder().encode("new"))).pipe(
      Effect.provideService(FileSystem.FileSystem, { ...fs, ...broken })
    )
  }).pipe(Effect.provide(BunServices.layer), Effect.runPromise)

describe("a write that the system refuses", () => {
  test("says why, leaves the old file whole and no temp file", async () => {
    const file = join(root, "f.txt")
    writeFileSync(file, "old")
    for (const [method, code, reason] of [
      ["writeFile", "ENOSPC", "the disk is full"],
      ["writeFile", "EACCES", "permission denied"],
      ["writeFile", "EDQUOT", "quota"],
      ["chmod", "EPERM", "not permitted"],
      ["rename", "EROFS", "read-only"]
    ] as const) {
      const { message } = await write(file, method, code)
      expect(message).toContain(reason)
      expect(message).toContain(file)
      expect(readFileSync(file, "utf8")).toBe("old")
      expect(readdirSync(root)).toEqual(["f.txt"])
    }
  })
})
