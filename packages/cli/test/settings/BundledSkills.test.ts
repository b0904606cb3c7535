import { describe, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import { unpack } from "../../src/settings/BundledSkills.ts"

const base64 = (text: string) => Buffer.from(text).toString("base64")

describe("BundledSkills", () => {
  test("two processes that unpack at once leave one whole folder and nothing beside it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cow-bundled-"))
    try {
      const target = join(folder, "0.1.0", "skills")
      const files = {
        "a/SKILL.md": { executable: false, content: base64("text of a") },
        "a/scripts/run.sh": { executable: true, content: base64("#!/bin/sh\n") }
      }
      const twice = Effect.all([unpack(files, target), unpack(files, target)], { concurrency: 2 })
      await Effect.runPromise(Effect.provide(twice, BunServices.layer))
      expect(readFileSync(join(target, "a/SKILL.md"), "utf8")).toBe("text of a")
      expect(statSync(join(target, "a/scripts/run.sh")).mode & 0o100).toBe(0o100)
      expect(readdirSync(join(folder, "0.1.0"))).toEqual(["skills"])
      expect(existsSync(`${target}.tmp`)).toBe(false)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
