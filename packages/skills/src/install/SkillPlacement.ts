/**
 * Puts skills into the user's folder: all of them, whole, or none. They are written beside their place and renamed into
 * it; what was there before comes back when anything fails.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as InstallMark from "./InstallMark.ts"
import { refuse } from "./InstallRefused.ts"
import * as InstallStage from "./InstallStage.ts"
import type { PackageFile } from "./package/PackageFile.ts"

export interface PlacedSkill {
  /** Of the folder; it has passed the strict rules for names. */
  readonly name: string
  readonly files: ReadonlyArray<PackageFile>
  readonly mark: InstallMark.InstallMark
  /** Absolute path of the folder, file or link that gives way; null: there is none. */
  readonly replaces: string | null
}

const unwritable = (cause: PlatformError) =>
  refuse("unwritable", `the skill cannot be written (${cause.reason._tag}): ${cause.message}`)

/**
 * @param root absolute path of the user's folder of skills
 * @param commit what must succeed with it, or everything is taken back
 */
export const place = Effect.fn("SkillPlacement.place")(function* <E>(
  root: string,
  skills: ReadonlyArray<PlacedSkill>,
  commit: Effect.Effect<void, E>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const stage = yield* InstallStage.open(root).pipe(Effect.mapError(unwritable))
  const { fresh, old } = stage

  const write = Effect.fnUntraced(function* ({ files, mark, name }: PlacedSkill) {
    for (const file of files) {
      const target = path.join(fresh(name), file.path)
      yield* fs.makeDirectory(path.dirname(target), { recursive: true })
      yield* fs.writeFile(target, file.bytes, { mode: file.executable ? 0o755 : 0o644 })
    }
    yield* fs.writeFileString(path.join(fresh(name), InstallMark.fileName), InstallMark.encode(mark))
  })

  const swap = ({ name, replaces }: PlacedSkill) =>
    Effect.gen(function* () {
      const target = path.join(root, name)
      if (replaces !== null)
        yield* Effect.acquireRelease(fs.rename(replaces, old(name)), (_, exit) =>
          Exit.isSuccess(exit) ? Effect.void : Effect.ignore(fs.rename(old(name), replaces))
        )
      if (yield* fs.exists(target)) return yield* refuse("skill_exists", `${target} is there already`)
      yield* Effect.acquireRelease(fs.rename(fresh(name), target), (_, exit) =>
        Exit.isSuccess(exit) ? Effect.void : Effect.ignore(fs.rename(target, fresh(name)))
      )
    }).pipe(Effect.catchTag("PlatformError", (cause) => Effect.fail(unwritable(cause))))

  const moves = skills.map(({ name, replaces }) => ({ name, replaces }))
  // Finalizers run in reverse: what was placed goes first, then what was moved away comes back.
  const swapped = Effect.gen(function* () {
    yield* Effect.mapError(InstallStage.begin(stage, moves), unwritable)
    yield* Effect.scoped(Effect.andThen(Effect.forEach(skills, swap, { discard: true }), commit))
    yield* Effect.mapError(fs.remove(stage.journal), unwritable)
  })

  yield* Effect.forEach(skills, write, { discard: true }).pipe(
    Effect.mapError(unwritable),
    Effect.andThen(
      InstallStage.alone(root, Effect.result(swapped)).pipe(
        Effect.mapError(unwritable),
        Effect.flatMap(Effect.fromResult),
        Effect.uninterruptible
      )
    ),
    Effect.ensuring(Effect.ignore(fs.remove(stage.folder, { recursive: true, force: true })))
  )
})
