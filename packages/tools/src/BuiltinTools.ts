/** Registers the built-in tools in core's `ToolManager`. What each does is in its own file. */
import { ToolManager } from "@cow/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { BackgroundJobs } from "./BackgroundJobs.ts"
import * as BashTool from "./BashTool.ts"
import type { BuiltinSettings } from "./BuiltinSettings.ts"
import * as EditTool from "./EditTool.ts"
import * as LsTool from "./LsTool.ts"
import * as ReadTool from "./ReadTool.ts"
import * as SearchFilesTool from "./SearchFilesTool.ts"
import { SecretFiles } from "./SecretFiles.ts"
import { SeenFiles } from "./SeenFiles.ts"
import * as TodoTool from "./TodoTool.ts"
import * as WebFetchTool from "./WebFetchTool.ts"
import * as WriteTool from "./WriteTool.ts"

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
