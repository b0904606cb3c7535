import { expect, test } from "bun:test"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { badArgument } from "effect/PlatformError"
import * as PlatformFault from "../../src/files/PlatformFault.ts"

test("what the platform refuses is told in words, the path left to the caller", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const told = (path: string) => Effect.map(Effect.flip(fs.readFileString(path)), PlatformFault.describe)
      expect(yield* told("/nope/at/all")).toBe("no such file or folder")
      expect(yield* told(import.meta.dir)).toBe("it is a folder")
      expect(yield* told(`${import.meta.path}/x`)).toBe("a part of the path is a file, not a folder")
      expect(yield* told(`/${"n".repeat(300)}`)).toBe("the name is too long")
    }).pipe(Effect.provide(BunServices.layer))
  ))

test("a code without words stands for itself, and an error without a code keeps its message", () => {
  expect(PlatformFault.describeCode("EBADMSG")).toBe("EBADMSG")
  const error = badArgument({ module: "FileSystem", method: "open", description: "no path" })
  expect(PlatformFault.describe(error)).toBe(error.reason.message)
  expect(PlatformFault.codeOf(new Error("plain"))).toBeUndefined()
})
