/**
 * Where the user's things live, and the user's `config.json`, which may move them (`agent_workspace`). The names
 * below it are fixed. What the settings mean is `Configuration`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as ConfigFile from "./ConfigFile.ts"
import { Environment } from "./Environment.ts"

/** Absolute paths. */
export interface HomePaths {
  readonly folder: string
  readonly mcp: string
  readonly skills: string
  readonly stateDb: string
  readonly logs: string
  readonly results: string
  readonly builtin: string
  readonly reloadRequest: string
  readonly notices: string
  /** Empty files, each named for the run that is to be cancelled. */
  readonly cancelRequests: string
}

export const pathsIn = (path: Path.Path, folder: string): HomePaths => ({
  folder,
  mcp: path.join(folder, "mcp.json"),
  skills: path.join(folder, "skills"),
  stateDb: path.join(folder, "state.db"),
  logs: path.join(folder, "logs"),
  results: path.join(folder, "results"),
  builtin: path.join(folder, "builtin"),
  reloadRequest: path.join(folder, "run", "reload.json"),
  notices: path.join(folder, "run", "notices.json"),
  cancelRequests: path.join(folder, "run", "cancel")
})

/** A leading `~` is the user's home; what is not absolute is meant from `from`. */
const absolute = (path: Path.Path, home: string, from: string, folder: string): string =>
  path.resolve(
    from,
    folder.replace(/^~(?=$|\/)/, () => home)
  )

export class UserHome extends Context.Service<
  UserHome,
  { readonly paths: HomePaths; readonly config: ConfigFile.ConfigFile }
>()("@cow/cli/UserHome") {
  /** `COW_HOME` beats `agent_workspace`, which beats `~/cow`; `config.json` itself is never looked for in the second. */
  static readonly layer = Layer.effect(
    UserHome,
    Effect.gen(function* () {
      const path = yield* Path.Path
      const { currentFolder, home, variables } = yield* Environment
      const set = variables.COW_HOME
      const first = set ? absolute(path, home, currentFolder, set) : path.join(home, "cow")
      const config = yield* ConfigFile.read(path.join(first, "config.json"))
      const moved = set ? undefined : config.given.agent_workspace
      const folder = moved === undefined ? first : absolute(path, home, home, moved)
      return { paths: pathsIn(path, folder), config }
    })
  )
}
