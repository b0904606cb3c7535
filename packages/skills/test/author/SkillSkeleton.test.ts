import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as fc from "fast-check"
import { SkillLibrary, SkillSkeleton, SkillValidation } from "../../src/index.ts"
import { withHome } from "../SkillHome.ts"

describe("a new skill", () => {
  test("passes the strict validation, and leaves its first switch to the default", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const file = yield* SkillSkeleton.create(home.user, "my-skill", SkillSkeleton.defaultDescription)
        expect(file).toBe(`${home.user}/my-skill/SKILL.md`)
        expect(yield* SkillValidation.read(file)).toMatchObject({ valid: true, problems: [] })
        const { skills } = yield* Effect.flatMap(SkillLibrary, (library) => library.list(home.workspace))
        expect(skills).toMatchObject([{ name: "my-skill", enabled: true, trusted: true, available: true }])
        const fs = yield* FileSystem.FileSystem
        expect(yield* fs.readFileString(file)).not.toContain("default_enabled")
      })
    ))

  test("is valid whatever its description says", async () => {
    const description = fc
      .string({ minLength: 1, maxLength: 200, unit: "grapheme" })
      .filter((one) => one.trim() !== "")
    await fc.assert(
      fc.asyncProperty(description, async (said) => {
        const problems = await Effect.runPromise(
          SkillValidation.check(SkillSkeleton.text("a", said.trim()), "a")
        )
        expect(problems.filter(({ severity }) => severity === "error")).toEqual([])
      }),
      { numRuns: 60 }
    )
  })

  test("is refused under a bad name or over an existing folder, with nothing written", () =>
    withHome((home) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        for (const name of [
          "Bad Name",
          "../escaped",
          "/abs",
          "",
          "   ",
          ".",
          "a_b",
          " a",
          "\\\\server\\share"
        ]) {
          const error = yield* Effect.flip(SkillSkeleton.create(home.user, name, "d"))
          expect(error.code).toBe("invalid_skill")
        }
        expect((yield* Effect.flip(SkillSkeleton.create(home.user, "a", "  "))).code).toBe("invalid_skill")
        expect(yield* fs.readDirectory(home.user)).toEqual([])
        yield* home.write("cow/skills/mine/notes.txt", "x")
        expect((yield* Effect.flip(SkillSkeleton.create(home.user, "mine", "d"))).code).toBe("skill_exists")
        expect(yield* fs.readDirectory(home.user)).toEqual(["mine"])
        expect(yield* fs.readDirectory(`${home.user}/mine`)).toEqual(["notes.txt"])
      })
    ))
})
