/** The MCP servers of this command, and the choice among their tools, with the settings that count here. */
import { ToolManager, ToolServers } from "@cow/core"
import { ApprovedSampler, McpManager } from "@cow/mcp"
import { isCovered, TrustStore } from "@cow/policy"
import { RetrievalSelector } from "@cow/retrieval"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as ConfigFile from "../settings/ConfigFile.ts"
import { Configuration } from "../settings/Configuration.ts"
import { Environment } from "../settings/Environment.ts"
import * as ModelChoice from "../settings/ModelChoice.ts"
import * as Settings from "../settings/Settings.ts"
import { UserHome } from "../settings/UserHome.ts"
import * as App from "./App.ts"

/** Relative to the project folder. */
const projectServers = ".mcp.json"

/** The user's file is followed; what the project's said when the command began stays. */
const configReader = Effect.gen(function* () {
  const { project, user } = yield* Configuration
  const context = yield* Effect.context<FileSystem.FileSystem>()
  const read = ConfigFile.read(user.path).pipe(
    Effect.map(({ given }) => Settings.merge(given, project.given).mcp_servers),
    Effect.mapError(({ message }) => message),
    Effect.result,
    Effect.provideContext(context)
  )
  return { files: [user.path], read }
})

/** As it is when it is asked. */
const isProjectTrusted = Effect.gen(function* () {
  const { workspace } = yield* Configuration
  const store = yield* TrustStore
  return store
    .covers(workspace, projectServers)
    .pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logWarning(`${workspace} counts as not trusted`, error), false)
      )
    )
})

/** What the servers of this command are told. */
export const settings = Effect.gen(function* () {
  const path = yield* Path.Path
  const { home, variables } = yield* Environment
  const { paths } = yield* UserHome
  const { settings: given, trust, workspace } = yield* Configuration
  return {
    cowHome: paths.folder,
    home,
    workspace,
    env: variables,
    configServers: given.mcp_servers,
    configReader: yield* configReader,
    projectServersFile: path.join(workspace, projectServers),
    projectTrusted: isCovered(trust, projectServers),
    isProjectTrusted: yield* isProjectTrusted,
    allowArbitraryStdio: given.mcp_allow_arbitrary_stdio,
    connectTimeoutSeconds: given.mcp_connect_timeout_seconds,
    readTimeoutSeconds: given.mcp_read_timeout_seconds,
    writeTimeoutSeconds: given.mcp_write_timeout_seconds
  }
})

/** A first message that waits for no server is on the wire within this. */
const headStart = Duration.millis(300)

/** Loaded when the first server is: it brings all of the agent's package. */
const validator = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("@cow/agent")),
    ({ SchemaValidatorAjv }) => SchemaValidatorAjv.layer
  )
)

/** The configuration is read as soon as the layer is built; nothing waits for a server. */
const startingFirst = (firstStart: Duration.Duration | "on demand") =>
  Layer.unwrap(Effect.map(settings, (given) => McpManager.layer({ ...given, firstStart }))).pipe(
    Layer.tap((context) =>
      Effect.provideContext(
        Effect.flatMap(McpManager, (manager) => manager.start),
        context
      )
    ),
    Layer.provideMerge(validator)
  )

/** Started in the background, a moment after the first message. */
export const servers = startingFirst(headStart)

/** Started when the command waits for them, and only those that it waits for. */
export const serversOnDemand = startingFirst("on demand")

/** Servers and nothing else, for commands that are about them. */
export const serversAlone = serversOnDemand.pipe(
  Layer.provideMerge(ToolManager.layer),
  Layer.provideMerge(App.configuration)
)

/** `mcp_sampling_enabled`: who makes the model calls that servers ask for. The user approves each. */
export const sampler = (model: Option.Option<string>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { settings } = yield* Configuration
      if (!settings.mcp_sampling_enabled) return Layer.empty
      const { id } = yield* ModelChoice.choose(model)
      return ApprovedSampler.layer(id)
    })
  )

/** For commands that must start no server. */
export const none = Layer.mergeAll(ToolServers.layerNone, validator)

export const selector = Layer.unwrap(
  Effect.map(Configuration, ({ settings }) =>
    RetrievalSelector.layer({
      enabled: settings.mcp_tool_retrieval_enabled,
      threshold: settings.mcp_tool_retrieval_threshold,
      topK: settings.mcp_tool_retrieval_top_k
    })
  )
)
