/**
 * Puts new bytes in a file's place: a temp file beside it, then a rename, so that a reader sees the old or the new
 * file whole. Links are kept: the file behind them is written. Mode and owner stay.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { because, failed } from "./CallFailure.ts"
import * as PlainFile from "./PlainFile.ts"

const modeBits = 0o7777

/** `target` is a real path. Makes the folders above it. Fails with the reason; the old file is whole then. */
export const write = Effect.fn("AtomicWrite.write")(function* (target: string, bytes: Uint8Array) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const name = path.basename(target)
  const folder = path.dirname(target)
  const old = yield* PlainFile.statIfAny(target)
  const why = because(`cannot write ${target}`)
  if (name === "") return yield* failed(`cannot write ${target}: it is a folder`)
  yield* Effect.mapError(fs.makeDirectory(folder, { recursive: true }), why)
  const temp = path.join(folder, `.${name.slice(0, 100)}.${crypto.randomUUID().slice(0, 8)}.tmp`)
  const remove = Effect.ignore(fs.remove(temp, { force: true }))
  const replace = Effect.gen(function* () {
    yield* fs.writeFile(temp, bytes, { flag: "wx" })
    if (old !== undefined) {
      const made = yield* fs.stat(temp)
      const [uid, gid] = [Option.getOrUndefined(old.uid), Option.getOrUndefined(old.gid)]
      const sameOwner = uid === Option.getOrUndefined(made.uid) && gid === Option.getOrUndefined(made.gid)
      // Only a privileged process may give a file away: for others the new file is theirs.
      if (!sameOwner && uid !== undefined && gid !== undefined) yield* Effect.ignore(fs.chown(temp, uid, gid))
      yield* fs.chmod(temp, old.mode & modeBits)
    }
    yield* fs.rename(temp, target)
  })
  yield* replace.pipe(
    Effect.mapError(why),
    Effect.onExit((exit) => (exit._tag === "Success" ? Effect.void : remove))
  )
})
