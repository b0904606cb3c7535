/**
 * What a server leaves in COW_HOME under its name: logins, and the logs of its standard error. Taken away with the
 * server, so that another one of the name starts with nothing.
 *
 * Its entry, and who may use it, are `McpConfigFile`; what a running process holds ends with its fiber (`ServerFleet`).
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import type { TokenStoreFailed, TokenStoreShape } from "../auth/TokenStore.ts"
import * as StderrLog from "../process/StderrLog.ts"

export interface ServerTraces {
  readonly forget: (server: string) => Effect.Effect<void, PlatformError | TokenStoreFailed>
}

export const make = (
  fs: FileSystem.FileSystem,
  path: Path.Path,
  cowHome: string,
  logins: TokenStoreShape
): ServerTraces => ({
  forget: (server) => {
    const log = path.join(cowHome, "logs", StderrLog.fileName(server))
    return Effect.andThen(
      logins.remove(server),
      Effect.forEach([log, `${log}.1`], (file) => fs.remove(file, { force: true }), { discard: true })
    )
  }
})
