/**
 * The folder `.installing-…` in which skills are made ready and old versions wait: what is to happen is written down in
 * it, so that an install that was killed in the middle is taken back by the next one. What happens is `SkillPlacement`.
 */
import { FileLock } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"

const prefix = ".installing-"
const removing = ".removing-"
const journalName = "journal.json"
/** One that is younger and has no journal may still be written by another process. */
const orphanMillis = 60_000

const Move = Schema.Struct({
  name: Schema.String,
  /** Absolute path of what gives way; null: nothing. */
  replaces: Schema.NullOr(Schema.String)
})
export type Move = typeof Move.Type
const Journal = Schema.fromJsonString(Schema.Array(Move))

export interface InstallStage {
  readonly folder: string
  /** Where the new version is made. */
  readonly fresh: (name: string) => string
  /** Where the old version waits. */
  readonly old: (name: string) => string
  readonly journal: string
}

const at = (path: Path.Path, folder: string): InstallStage => ({
  folder,
  fresh: (name) => path.join(folder, "new", name),
  old: (name) => path.join(folder, "old", name),
  journal: path.join(folder, journalName)
})

/** @param root absolute path of the user's folder of skills */
export const open = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const stage = at(path, path.join(root, `${prefix}${crypto.randomUUID()}`))
  yield* fs.makeDirectory(path.join(stage.folder, "new"), { recursive: true })
  yield* fs.makeDirectory(path.join(stage.folder, "old"))
  return stage
})

/** Where a skill that is removed waits for it. */
export const aside = (path: Path.Path, root: string): string =>
  path.join(root, `${removing}${crypto.randomUUID()}`)

/** From here until `journal` is gone the moves are taken back when this process dies. Only inside `alone`. */
export const begin = Effect.fnUntraced(function* (stage: InstallStage, moves: ReadonlyArray<Move>) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.writeFileString(stage.journal, JSON.stringify(moves))
})

/** Runs while no other process moves skills. */
export const alone = Effect.fnUntraced(function* <A, E, R>(root: string, use: Effect.Effect<A, E, R>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return yield* FileLock.withLock(fs, path.join(root, ".install"))(use)
})

/** Takes back what a process that died began, and removes what it left. What cannot be taken back stays, with a warning. */
export const recover = Effect.fn("InstallStage.recover")(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const left = (yield* Effect.orElseSucceed(fs.readDirectory(root), () => [])).filter(
    (name) => name.startsWith(prefix) || name.startsWith(removing)
  )
  if (left.length === 0) return
  const now = yield* Clock.currentTimeMillis

  const takeBack = Effect.fnUntraced(function* (stage: InstallStage, { name, replaces }: Move) {
    const target = path.join(root, name)
    const placed = !(yield* fs.exists(stage.fresh(name))) && (yield* fs.exists(target))
    const waits = yield* fs.exists(stage.old(name))
    // Without an old version that waits and with nothing new there, nothing of this move has happened.
    if (placed && (waits || replaces === null)) yield* fs.rename(target, stage.fresh(name))
    if (waits && replaces !== null && !(yield* fs.exists(replaces)))
      yield* fs.rename(stage.old(name), replaces)
  })

  const settle = Effect.fnUntraced(function* (name: string) {
    const stage = at(path, path.join(root, name))
    const text = yield* Effect.option(fs.readFileString(stage.journal))
    const moves = Option.flatMap(text, Schema.decodeUnknownOption(Journal))
    if (Option.isSome(moves))
      yield* Effect.forEach([...moves.value].reverse(), (move) => takeBack(stage, move), { discard: true })
    else {
      const { mtime } = yield* fs.stat(stage.folder)
      const since = Option.match(mtime, { onNone: () => now, onSome: (date) => date.getTime() })
      if (now - since < orphanMillis) return
    }
    yield* fs.remove(stage.folder, { recursive: true, force: true })
  })

  yield* alone(
    root,
    Effect.forEach(
      left,
      (name) =>
        settle(name).pipe(
          Effect.catch((error) =>
            Effect.logWarning(`what an interrupted install left in ${path.join(root, name)} stays`, error)
          )
        ),
      { discard: true }
    )
  ).pipe(Effect.catch((error) => Effect.logWarning(`${root} cannot be tidied`, error)))
})
