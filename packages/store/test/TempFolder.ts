/** Runs a test in a folder of its own under the platform that the CLI provides. */
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as Scope from "effect/Scope"

export const inTempFolder = <A, E>(
  body: (folder: string) => Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | Scope.Scope>
): Promise<A> =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((fs) => fs.makeTempDirectoryScoped({ prefix: "cow-store-" })),
    Effect.flatMap(body),
    Effect.scoped,
    Effect.provide(BunServices.layer),
    Effect.runPromise
  )
