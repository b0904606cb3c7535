/** Registers the built-in tools in core's `ToolManager`. What each does is in its own file. */
import { ToolManager } from "@cow/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as EditTool from "./edit/EditTool.ts"
import * as LsTool from "./files/LsTool.ts"
import * as ReadTool from "./files/ReadTool.ts"
import { SecretFiles } from "./files/SecretFiles.ts"
import { SeenFiles } from "./files/SeenFiles.ts"
import * as WriteTool from "./files/WriteTool.ts"
import * as TodoTool from "./plan/TodoTool.ts"
import * as SearchFilesTool from "./search/SearchFilesTool.ts"
import { BackgroundJobs } from "./shell/BackgroundJobs.ts"
import * as BashTool from "./shell/BashTool.ts"
import type { BuiltinSettings } from "./tool/BuiltinSettings.ts"
import * as WebFetchTool from "./web/WebFetchTool.ts"

type Platform = FileSystem.FileSystem | Path.Path | ChildProcessSpawner

/** The tools, for as long as the layer lives: closing it takes them back and ends what they left running. */
export const layer = (settings: BuiltinSettings): Layer.Layer<never, never, ToolManager | Platform> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const manager = yield* ToolManager
      const tools = yield* Effect.all([
        ReadTool.make(settings),
        LsTool.make(settings),
        WriteTool.make(settings),
        EditTool.make(settings),
        BashTool.make(settings),
        SearchFilesTool.make(settings),
        WebFetchTool.make(settings),
        TodoTool.make
      ])
      yield* manager.register({ _tag: "Builtin" }, tools)
    })
  ).pipe(Layer.provide([SecretFiles.layer(settings.cowHome), SeenFiles.layer, BackgroundJobs.layer]))
