/** `cow mcp import`: takes MCP servers over from another program's file. */
import type { Audience } from "@cow/core"
import { ForeignConfig, McpConfigFile, type McpEditRefused } from "@cow/mcp"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { badUsage, ExitCode, failed } from "../command/ExitCode.ts"
import * as InsideRun from "../run/InsideRun.ts"
import { Environment } from "../settings/Environment.ts"
import * as ForeignFiles from "../settings/ForeignFiles.ts"
import * as Workspace from "../settings/Workspace.ts"
import { Output } from "../terminal/Output.ts"
import * as mcpEdit from "./mcpEdit.ts"

const names = ForeignConfig.clients.join(", ")

const isClient = (word: string): word is ForeignConfig.Client =>
  (ForeignConfig.clients as ReadonlyArray<string>).includes(word)

/** A program's name stands for its files, anything else is a file. */
const filesOf = Effect.fnUntraced(function* (source: string, workspace: string) {
  const { currentFolder } = yield* Environment
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (isClient(source)) {
    const files = yield* ForeignFiles.ofClient(source, workspace)
    if (files.length === 0) return yield* failed(`${source} has no file here`, ExitCode.badInput)
    return files
  }
  const file = path.resolve(currentFolder, source)
  if (!(yield* Effect.orElseSucceed(fs.exists(file), () => false)))
    return yield* badUsage(`cow mcp import: "${source}" is no file and none of ${names}`)
  return [{ path: file, client: undefined }]
})

const told = (what: ReadonlyArray<string>) => (what.length === 0 ? "none" : what.join(", "))

export const importServers = Effect.fnUntraced(
  function* (input: { readonly source: string; readonly grant: ReadonlyArray<string> }) {
    yield* InsideRun.refuse("importing MCP servers")
    const output = yield* Output
    const config = yield* McpConfigFile
    const workspace = yield* Workspace.current
    const files = yield* filesOf(input.source, workspace)
    const audience: Audience.Audience = yield* mcpEdit.grantOf(input.grant)
    const found = new Map<string, ForeignConfig.ForeignServer>()
    for (const file of files)
      for (const server of yield* ForeignFiles.read(file, workspace)) found.set(server.name, server)
    const taken: Array<string> = []
    for (const { entry, name, notes } of found.values()) {
      const refused = yield* config.add(name, entry, audience).pipe(
        Effect.as(undefined),
        Effect.catchTag("McpEditRefused", (error: McpEditRefused) =>
          error.reason === "unwritable" ? Effect.fail(error) : Effect.succeed(error.message)
        )
      )
      if (refused === undefined) taken.push(name)
      else yield* output.note(`cow: ${name} is left out: ${refused}`)
      for (const note of refused === undefined ? notes : []) yield* output.note(`cow: ${name}: ${note}`)
    }
    yield* output.note(`imported from ${files.map(({ path }) => path).join(", ")}: ${told(taken)}`)
  },
  Effect.catchTags(mcpEdit.refusals),
  Effect.provide(mcpEdit.file)
)
