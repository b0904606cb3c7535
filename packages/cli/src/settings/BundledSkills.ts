/**
 * The folder of the skills that come with Cow. From source it is the project's `skills/`; a built executable carries
 * them inside and unpacks them, whole or not at all, when they are first needed.
 *
 * `build.ts` puts the texts in; this is where they come out.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Random from "effect/Random"
import { version } from "../Version.ts"
import { UserHome } from "./UserHome.ts"

/** `content`: base64. */
export interface BundledFile {
  readonly executable: boolean
  readonly content: string
}

/** By their path below `skills/`. */
type BundledFiles = Readonly<Record<string, BundledFile>>

/** Set in built executables only. */
declare const COW_BUNDLED_SKILLS: BundledFiles | undefined

const bundled = typeof COW_BUNDLED_SKILLS === "undefined" ? undefined : COW_BUNDLED_SKILLS

/** Beside the target, then renamed: another process sees all of it or nothing. */
export const unpack = Effect.fnUntraced(function* (files: BundledFiles, target: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (yield* fs.exists(target)) return
  const temporary = `${target}.${yield* Random.nextIntBetween(0, 0xffff_ffff)}.tmp`
  const write = Effect.gen(function* () {
    yield* fs.makeDirectory(temporary, { recursive: true })
    for (const [name, { content, executable }] of Object.entries(files)) {
      const file = path.join(temporary, name)
      yield* fs.makeDirectory(path.dirname(file), { recursive: true })
      yield* fs.writeFile(file, Buffer.from(content, "base64"), { mode: executable ? 0o755 : 0o644 })
    }
    yield* fs.rename(temporary, target)
  })
  yield* write.pipe(
    Effect.catch((error) =>
      // Whoever else unpacked it meanwhile has put the same files there.
      Effect.flatMap(fs.exists(target), (there) => (there ? Effect.void : Effect.fail(error)))
    ),
    Effect.ensuring(Effect.ignore(fs.remove(temporary, { recursive: true, force: true })))
  )
})

/** Absolute path. When the skills cannot be unpacked, that is logged and there are none. */
export const folder = Effect.gen(function* () {
  const path = yield* Path.Path
  if (bundled === undefined) return path.resolve(import.meta.dir, "../../../../skills")
  const { paths } = yield* UserHome
  const target = path.join(paths.builtin, version, "skills")
  yield* unpack(bundled, target).pipe(
    Effect.catch((error) => Effect.logWarning(`the bundled skills cannot be unpacked: ${error.message}`))
  )
  return target
})
