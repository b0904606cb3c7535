/** The project folder of this command: `--workspace`, else the current folder. */
import { PlatformFault } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { ExitCode, failed } from "../command/ExitCode.ts"
import { WorkspaceFlag } from "../command/GlobalFlags.ts"
import { Environment } from "./Environment.ts"

/** The folder's real path. Fails with exit 42 when there is no such folder. */
export const folder = Effect.fnUntraced(function* (given: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { currentFolder } = yield* Environment
  if (given.trim() === "") return yield* failed("the folder's name is empty", ExitCode.badInput)
  const wanted = path.resolve(currentFolder, given)
  const info = yield* fs
    .stat(wanted)
    .pipe(
      Effect.mapError((error) => failed(`${wanted}: ${PlatformFault.describe(error)}`, ExitCode.badInput))
    )
  if (info.type !== "Directory") return yield* failed(`${wanted} is not a folder`, ExitCode.badInput)
  return yield* fs.realPath(wanted)
})

export const current = Effect.flatMap(WorkspaceFlag, (given) => folder(Option.getOrElse(given, () => ".")))
