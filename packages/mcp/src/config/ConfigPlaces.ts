/** Where servers are written. Reading those places is `ConfigSource`. */
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** How `mcp_servers` is read again from the files it stands in. */
export interface ConfigReader {
  /** Absolute paths. Looked at while `mcp.json` is absent or broken. */
  readonly files: ReadonlyArray<string>
  /** Fails with one line where a file is broken: what was in force stays. */
  readonly read: Effect.Effect<Result.Result<Schema.Json | undefined, string>>
}

export interface ConfigPlaces {
  readonly userFile: string
  readonly projectFile: string | undefined
  readonly projectTrusted: boolean
  readonly isProjectTrusted: Effect.Effect<boolean>
  /** The value of `mcp_servers` in `config.json`. */
  readonly configServers: Schema.Json | undefined
  readonly configReader: ConfigReader | undefined
}
