/** Where other programs keep the files in which their MCP servers stand, and how one is read. */
import { Jsonc } from "@cow/core"
import { ForeignConfig } from "@cow/mcp"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { ExitCode, failed } from "../command/ExitCode.ts"
import { Environment } from "./Environment.ts"
import * as TomlText from "./TomlText.ts"

/** Below the user's home folder, by platform where they differ. */
const homeFiles = (platform: string): Record<ForeignConfig.Client, ReadonlyArray<string>> => {
  const apps =
    platform === "darwin"
      ? "Library/Application Support"
      : platform === "win32"
        ? "AppData/Roaming"
        : ".config"
  return {
    "claude-desktop": [`${apps}/Claude/claude_desktop_config.json`],
    "claude-code": [".claude.json"],
    cursor: [".cursor/mcp.json"],
    vscode: [`${apps}/Code/User/settings.json`, `${apps}/Code/User/mcp.json`],
    codex: [".codex/config.toml"],
    gemini: [".gemini/settings.json"],
    opencode: [".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"]
  }
}

/** Below the project's folder. */
const projectFiles: Record<ForeignConfig.Client, ReadonlyArray<string>> = {
  "claude-desktop": [],
  "claude-code": [".mcp.json"],
  cursor: [".cursor/mcp.json"],
  vscode: [".vscode/mcp.json"],
  codex: [".codex/config.toml"],
  gemini: [".gemini/settings.json"],
  opencode: ["opencode.json", "opencode.jsonc"]
}

export interface ForeignFile {
  readonly path: string
  /** Undefined: found out from what stands in it. */
  readonly client: ForeignConfig.Client | undefined
}

/** The files of a program that are there; what is nearer to the project comes later. */
export const ofClient = Effect.fnUntraced(function* (client: ForeignConfig.Client, workspace: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { home, platform } = yield* Environment
  const all = [
    ...homeFiles(platform)[client].map((file) => path.join(home, file)),
    ...projectFiles[client].map((file) => path.join(workspace, file))
  ]
  const there = yield* Effect.filter(all, (file) => Effect.orElseSucceed(fs.exists(file), () => false))
  return there.map((file): ForeignFile => ({ path: file, client }))
})

/** Fails with exit 42, naming the file and what is wrong with it. */
export const read = Effect.fnUntraced(function* (file: ForeignFile, workspace: string) {
  const fs = yield* FileSystem.FileSystem
  const { home } = yield* Environment
  const wrong = (message: string) => failed(`${file.path}: ${message}`, ExitCode.badInput)
  const text = yield* fs
    .readFileString(file.path)
    .pipe(Effect.mapError((error) => wrong(`cannot be read: ${error.reason.message}`)))
  const isToml = file.path.endsWith(".toml")
  const parsed = isToml
    ? TomlText.parse(text)
    : Result.mapBoth(Jsonc.parse(text), {
        onFailure: ({ line, message }) => `line ${line}: ${message}`,
        onSuccess: ({ value }) => value
      })
  if (Result.isFailure(parsed)) return yield* wrong(parsed.failure)
  const document = parsed.success
  const client = file.client ?? (isToml ? "codex" : ForeignConfig.clientOf(document))
  return client === undefined
    ? ForeignConfig.plain(document, file.path)
    : ForeignConfig.servers(client, document, { workspace, home })
})
