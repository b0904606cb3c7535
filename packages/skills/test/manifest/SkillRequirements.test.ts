import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as SkillDisk from "../../src/discovery/SkillDisk.ts"
import * as SkillMetadata from "../../src/manifest/SkillMetadata.ts"
import * as SkillRequirements from "../../src/manifest/SkillRequirements.ts"
import { withHome } from "../SkillHome.ts"

const here: SkillRequirements.Machine = {
  platform: "linux",
  hasProgram: (name) => name === "sh",
  hasTool: (name) => name === "read",
  env: (name) => ({ HAVE: "wrong-key", EMPTY: "", BLANK: "  " })[name]
}
const check = (metadata: unknown, platform = "linux", toolNames: ReadonlyArray<string> = []) =>
  SkillRequirements.check(
    SkillMetadata.decode(metadata, () => {}),
    toolNames,
    { ...here, platform }
  )

describe("requirements", () => {
  test("without any a skill is available", () => {
    expect(check(undefined)).toEqual({
      available: true,
      platformFits: true,
      missing: SkillMetadata.noNeeds,
      reason: null
    })
  })

  test("another platform makes it unavailable with nothing missing, whatever `always` says", () => {
    for (const always of [false, true]) {
      const fit = check({ os: ["darwin"], always, requires: { bins: ["nope"] } })
      expect(fit).toMatchObject({ available: false, platformFits: false, missing: SkillMetadata.noNeeds })
      expect(fit.reason).toContain("darwin")
    }
    expect(check({ os: ["macos"] }, "darwin").available).toBe(true)
    expect(check({ os: ["windows"] }, "win32").available).toBe(true)
  })

  test("`always` lifts the needs", () => {
    expect(check({ always: true, requires: { bins: ["nope"], env: ["NOPE"] } }).available).toBe(true)
  })

  test("of bins and env all that are missing are named, and only they", () => {
    const fit = check({ requires: { bins: ["sh", "nope"], env: ["HAVE", "NOPE", "EMPTY", "BLANK"] } })
    expect(fit.missing).toEqual({ bins: ["nope"], anyBins: [], env: ["NOPE", "EMPTY", "BLANK"], anyEnv: [] })
    expect(fit.reason).toBe("missing: bins: nope; env: NOPE, EMPTY, BLANK")
  })

  test("of anyBins and anyEnv one is enough, and with none all are named", () => {
    expect(check({ requires: { anyBins: ["nope", "sh"], anyEnv: ["NOPE", "HAVE"] } }).available).toBe(true)
    const fit = check({ requires: { anyBins: ["a", "b"], anyEnv: ["C", "EMPTY"] } })
    expect(fit.missing).toEqual({ bins: [], anyBins: ["a", "b"], env: [], anyEnv: ["C", "EMPTY"] })
  })

  test("a program is an executable file in one of the folders", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const tool = yield* home.write("bin/tool", "#!/bin/sh\n")
        const has = (name: string) =>
          Effect.map(
            SkillRequirements.machine(home.settings, SkillDisk.fromFileSystem(fs), [name], new Set()),
            (machine) => machine.hasProgram(name)
          )
        expect(yield* has("tool")).toBe(false)
        yield* fs.chmod(tool, 0o755)
        expect(yield* has("tool")).toBe(true)
        expect(yield* has(tool)).toBe(true)
        yield* fs.makeDirectory(`${home.root}/bin/folder`)
        for (const name of ["folder", "../bin/tool", "nope"]) expect(yield* has(name)).toBe(false)
      })
    ))

  test("a tool that is named and not there makes it unavailable, also when `always` lifts the rest", () => {
    const fit = check({ always: true, requires: { bins: ["nope"] } }, "linux", ["read", "example_status"])
    expect(fit).toMatchObject({ available: false, reason: "tool_missing: example_status" })
    expect(fit.missing.tools).toEqual(["example_status"])
    const both = check({ requires: { bins: ["nope"] } }, "linux", ["example_status"])
    expect(both.reason).toBe("missing: bins: nope; tools: example_status")
    expect(check({}, "linux", ["read"]).missing).toEqual(SkillMetadata.noNeeds)
  })
})
