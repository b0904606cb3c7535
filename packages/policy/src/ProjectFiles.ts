/**
 * What of a project folder counts only once a person trusts it, and a digest of each such item: `.mcp.json`,
 * `.cow/config.json`, and every folder in the three skill folders. What was trusted is remembered by `TrustStore`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"

const files = [".mcp.json", ".cow/config.json"]
const skillFolders = [".cow/skills", ".agents/skills", ".claude/skills"]

/** Digests by path relative to the project folder, with `/`: a file, or a skill folder with all that is in it. */
export type ProjectItems = ReadonlyMap<string, string>

const sha256 = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new Uint8Array(bytes))),
    (digest) => new Uint8Array(digest).toHex()
  )

const orAbsent = <A, R>(effect: Effect.Effect<A, PlatformError, R>) =>
  Effect.catchIf(
    effect,
    (error) => error.reason._tag === "NotFound",
    () => Effect.succeed(null)
  )

export const read = Effect.fn("ProjectFiles.read")(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  // Links are followed, as a skill is read through them; one that leads back to a folder above it is not.
  const walk: (
    at: string,
    relative: string,
    above: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, PlatformError> = Effect.fnUntraced(
    function* (at, relative, above) {
      const info = yield* orAbsent(fs.stat(at))
      if (info === null) return [`${relative}\0gone`]
      if (info.type === "File") return [`${relative}\0${yield* sha256(yield* fs.readFile(at))}`]
      if (info.type !== "Directory") return [`${relative}\0${info.type}`]
      const real = yield* fs.realPath(at)
      if (above.includes(real)) return [`${relative}\0cycle`]
      const names = (yield* fs.readDirectory(at)).sort()
      const inner = yield* Effect.forEach(names, (name) =>
        walk(path.join(at, name), `${relative}/${name}`, [...above, real])
      )
      return inner.flat()
    }
  )

  const items = new Map<string, string>()
  for (const file of files) {
    const found = yield* orAbsent(fs.readFile(path.join(folder, file)))
    if (found !== null) items.set(file, yield* sha256(found))
  }
  for (const skills of skillFolders)
    for (const name of ((yield* orAbsent(fs.readDirectory(path.join(folder, skills)))) ?? []).sort()) {
      const lines = yield* walk(path.join(folder, skills, name), "", [])
      items.set(`${skills}/${name}`, yield* sha256(new TextEncoder().encode(lines.join("\n"))))
    }
  return items as ProjectItems
})
