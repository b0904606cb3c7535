/** What the MCP part of Cow is told by whoever composes it. Read once; nothing here is looked up in the environment. */
import * as Effect from "effect/Effect"
import type * as Path from "effect/Path"
import type * as Schema from "effect/Schema"
import type { FirstStart } from "../fleet/StartGate.ts"
import type { ConfigPlaces, ConfigReader } from "./ConfigPlaces.ts"
import type { OAuthClientSettings } from "./UserAgent.ts"

export interface McpSettings {
  /** Absolute path: `mcp.json`, `logs/` and `run/` are in it. */
  readonly cowHome: string
  /** The user's home folder, for `~`. */
  readonly home: string
  /** Where stdio servers run that name no `cwd`. */
  readonly workspace: string
  /** The agent's variables: looked up for `${VAR}` at each start of a server; few of them reach one. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The value of `mcp_servers` in `config.json`: counts when `mcp.json` is absent or broken. */
  readonly configServers?: Schema.Json | undefined
  /** Absent: a change of them counts with the next start. */
  readonly configReader?: ConfigReader | undefined
  /** The project's `.mcp.json`. */
  readonly projectServersFile?: string | undefined
  /** Whether the project's file, as it is at the start, is trusted. */
  readonly projectTrusted: boolean
  /** Asked again when the file has changed, and at a reload. Absent: what has changed stays untrusted. */
  readonly isProjectTrusted?: Effect.Effect<boolean> | undefined
  /** `mcp_allow_arbitrary_stdio`: false refuses what the API saved and `StdioPolicy` does not let pass. */
  readonly allowArbitraryStdio: boolean
  /**
   * When servers start the first time. A time counts from when the configuration was read, so that a first message is on
   * its way before a crowd of processes takes the processor; whoever waits for servers does not wait for it. Absent: at once.
   */
  readonly firstStart?: FirstStart | undefined
  /** How Cow is known to authorization servers; absent: by registration. */
  readonly oauthClient?: OAuthClientSettings | undefined
  readonly connectTimeoutSeconds: number
  /** For tools that only read. */
  readonly readTimeoutSeconds: number
  readonly writeTimeoutSeconds: number
}

/** Where the servers are written. */
export const configPlaces = (settings: McpSettings, path: Path.Path): ConfigPlaces => ({
  userFile: path.join(settings.cowHome, "mcp.json"),
  projectFile: settings.projectServersFile,
  projectTrusted: settings.projectTrusted,
  isProjectTrusted: settings.isProjectTrusted ?? Effect.succeed(false),
  configServers: settings.configServers,
  configReader: settings.configReader
})

export const defaultTimeouts = {
  connectTimeoutSeconds: 90,
  readTimeoutSeconds: 20,
  writeTimeoutSeconds: 60
} as const

/** How many servers start at once. */
export const maxStartingServers = 8
