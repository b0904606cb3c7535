/** The project folder of this command: `--workspace`, else the current folder. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { Environment } from "./Environment.ts"
import { ExitCode, failed } from "./ExitCode.ts"
import { WorkspaceFlag } from "./GlobalFlags.ts"

/** The folder's real path. Fails with exit 42 when there is no such folder. */
export const folder = Effect.fnUntraced(function* (given: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { currentFolder } = yield* Environment
  const wanted = path.resolve(currentFolder, given)
  const info = yield* fs
    .stat(wanted)
    .pipe(Effect.mapError((error) => failed(`${wanted}: ${error.reason.message}`, ExitCode.badInput)))
  if (info.type !== "Directory") return yield* failed(`${wanted} is no folder`, ExitCode.badInput)
  return yield* fs.realPath(wanted)
})

export const current = Effect.flatMap(WorkspaceFlag, (given) => folder(Option.getOrElse(given, () => ".")))
