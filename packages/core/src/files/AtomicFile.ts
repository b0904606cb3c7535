/**
 * Puts new content in a file's place: a temp file beside it, then a rename, so that whoever reads sees the old or the
 * new file whole. One writer at a time is the caller's, where what is written depends on what was there.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"

const modeBits = 0o7777
/** Leaves room in a file name for what is added to it. */
const maxNameChars = 100

const statIfAny = (fs: FileSystem.FileSystem, file: string) =>
  fs.stat(file).pipe(
    Effect.asSome,
    Effect.catch((error) => (error.reason._tag === "NotFound" ? Effect.succeedNone : Effect.fail(error)))
  )

/**
 * Makes the folders above the file. A link stays a link: what it points at is replaced. A file that is there keeps
 * its mode and, as far as this process may give files away, its owner. When this fails the old file is whole and
 * nothing is left beside it.
 *
 * @param newMode of a file that is not there yet, less the process's mask
 */
export const write: (
  file: string,
  content: string | Uint8Array,
  newMode?: number
) => Effect.Effect<void, PlatformError, FileSystem.FileSystem | Path.Path> = Effect.fn("AtomicFile.write")(
  function* (file, content, newMode = 0o644) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    // Not there: the name itself is written.
    const target = yield* Effect.orElseSucceed(fs.realPath(file), () => file)
    const folder = path.dirname(target)
    yield* fs.makeDirectory(folder, { recursive: true })
    const old = yield* statIfAny(fs, target)
    const name = path.basename(target).slice(0, maxNameChars)
    const temporary = path.join(folder, `.${name}.${crypto.randomUUID().slice(0, 8)}.tmp`)
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
    const replace = Effect.gen(function* () {
      yield* fs.writeFile(temporary, bytes, { flag: "wx", mode: newMode })
      if (Option.isSome(old)) {
        yield* keepOwner(fs, temporary, old.value)
        yield* fs.chmod(temporary, old.value.mode & modeBits)
      }
      yield* fs.rename(temporary, target)
    })
    yield* Effect.onExit(replace, (exit) =>
      exit._tag === "Success" ? Effect.void : Effect.ignore(fs.remove(temporary, { force: true }))
    )
  }
)

/** Only a privileged process may give a file away: for others the new file is theirs. */
const keepOwner = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  file: string,
  old: FileSystem.File.Info
) {
  const made = yield* fs.stat(file)
  const [uid, gid] = [Option.getOrUndefined(old.uid), Option.getOrUndefined(old.gid)]
  if (uid === undefined || gid === undefined) return
  if (uid === Option.getOrUndefined(made.uid) && gid === Option.getOrUndefined(made.gid)) return
  yield* Effect.ignore(fs.chown(file, uid, gid))
})
