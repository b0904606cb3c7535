/** `ls`: what is in a folder, by name. Whole trees are `search_files`. */
import { type Tool, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import * as BuiltinTool from "../tool/BuiltinTool.ts"
import { because, failed } from "../tool/CallFailure.ts"
import * as FileName from "./FileName.ts"
import * as FolderEntries from "./FolderEntries.ts"
import * as ToolPath from "./ToolPath.ts"

const defaultLimit = 500

const Input = Schema.Struct({
  path: Schema.optionalKey(Schema.String.annotate({ description: "The folder; the workspace if absent." })),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      description: "Entries at most; 500 if absent."
    })
  )
})

type Input = typeof Input.Type

const byName = (left: string, right: string): number => {
  const [a, b] = [left.toLowerCase(), right.toLowerCase()]
  return a < b ? -1 : a > b ? 1 : left < right ? -1 : 1
}

export const make = Effect.fnUntraced(function* (settings: BuiltinSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()

  const run = Effect.fn("LsTool.run")(function* (input: Input, call: Tool.ToolContext) {
    const folder = ToolPath.absolute(path, input.path ?? ".", call.workspace, settings.home)
    const info = yield* Effect.mapError(fs.stat(folder), because(`cannot list ${folder}`))
    if (info.type !== "Directory") return yield* failed(`${folder} is not a folder; use read to see a file`)
    const entries = yield* Effect.mapError(FolderEntries.list(folder), because(`cannot list ${folder}`))
    const sorted = [...entries].sort((left, right) => byName(left.name, right.name))
    const shown = sorted.slice(0, input.limit ?? defaultLimit)
    const rows = yield* Effect.forEach(
      shown,
      ({ name, path: file, type }) => {
        const row = FileName.shown(name)
        return type === "SymbolicLink"
          ? Effect.match(FolderEntries.stat(file), {
              onFailure: () => row,
              onSuccess: (target) => (target.type === "Directory" ? `${row}/` : row)
            })
          : Effect.succeed(type === "Directory" ? `${row}/` : row)
      },
      { concurrency: 8 }
    )
    if (rows.length === 0) return ToolResult.ok(`[${folder} is empty]`)
    const more = sorted.length - shown.length
    const notices =
      more === 0 ? [] : [`[${more} more of ${sorted.length} entries; use limit=${sorted.length}]`]
    if (shown.some((entry) => typeof entry.path !== "string" || FileName.shown(entry.name) !== entry.name))
      notices.push(
        "[names with \\n, \\x.. or \\u.... hold other characters or bytes; in bash write them as $'…']"
      )
    return ToolResult.ok([...rows, ...notices].join("\n"))
  })

  return BuiltinTool.make({
    name: "ls",
    description: "Lists a folder: names sorted, folders end in /, hidden ones included.",
    input: Input,
    parallelSafe: true,
    mildest: BuiltinTool.reads,
    run: (input, call) => Effect.provideContext(run(input, call), context)
  })
})
