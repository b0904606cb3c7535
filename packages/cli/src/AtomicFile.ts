/** Writes of the user's files: a temp file beside it, then a rename, so that nobody ever reads a half. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Random from "effect/Random"

/** Makes the folder if needed. A link stays a link: what it points at is replaced. Keeps the file's mode. */
export const writeAtomically = Effect.fnUntraced(function* (path: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const target = yield* fs.realPath(path).pipe(Effect.orElseSucceed(() => path))
  yield* fs.makeDirectory(paths.dirname(target), { recursive: true })
  const mode = yield* fs.stat(target).pipe(
    Effect.map((info) => info.mode & 0o777),
    Effect.orElseSucceed(() => 0o644)
  )
  const temporary = `${target}.${yield* Random.nextIntBetween(0, 0xffff_ffff)}.tmp`
  yield* fs.writeFileString(temporary, text, { mode }).pipe(
    Effect.andThen(fs.rename(temporary, target)),
    Effect.onError(() => Effect.ignore(fs.remove(temporary)))
  )
})
