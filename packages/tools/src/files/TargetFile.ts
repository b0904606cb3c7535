/**
 * A file that `write` or `edit` is about to change: what it really is, what is in it, whether it may be changed
 * and whether somebody else changed it since. The change itself is `AtomicWrite`.
 */
import type { Tool } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import { because, failed } from "../tool/CallFailure.ts"
import * as AtomicWrite from "./AtomicWrite.ts"
import * as PlainFile from "./PlainFile.ts"
import { SecretFiles } from "./SecretFiles.ts"
import { SeenFiles } from "./SeenFiles.ts"
import * as ToolPath from "./ToolPath.ts"

export interface TargetFile {
  /** As the caller meant it, absolute. */
  readonly file: string
  /** Behind all links. */
  readonly target: string
  /** `undefined`: there is no such file. */
  readonly before: Uint8Array | undefined
  /** A line to add to the result when it was changed by others since the session saw it; else empty. */
  readonly warning: string
}

/** A larger file is not edited. */
const maxBytes = 50 * 1024 * 1024

/** The services of a layer, bound once. */
export const make = Effect.fnUntraced(function* ({ home }: BuiltinSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const secrets = yield* SecretFiles
  const seen = yield* SeenFiles
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()

  const open = Effect.fnUntraced(function* (given: string, call: Tool.ToolContext) {
    const file = ToolPath.absolute(path, given, call.workspace, home)
    yield* secrets.guard(file)
    const target = yield* ToolPath.real(file)
    if (target === undefined) return yield* failed(`cannot open ${file}: its links lead nowhere`)
    const info = yield* PlainFile.statIfAny(target)
    if (info === undefined) return { file, target, before: undefined, warning: "" }
    if (Number(info.size) > maxBytes)
      return yield* failed(`${file} is too large to be changed here; use bash`)
    const before = yield* Effect.mapError(fs.readFile(target), because(`cannot read ${file}`))
    const changed = yield* seen.changed(call.sessionId, target, before)
    const warning = changed
      ? `\n[warning: ${file} was changed by something else since you last read it; read it again to be sure]`
      : ""
    return { file, target, before, warning }
  })

  const replace = Effect.fnUntraced(function* (
    { target }: TargetFile,
    bytes: Uint8Array,
    call: Tool.ToolContext
  ) {
    yield* AtomicWrite.write(target, bytes)
    yield* seen.saw(call.sessionId, target, bytes)
  })

  const judge = Effect.fnUntraced(function* (given: string, workspace: string) {
    const file = ToolPath.absolute(path, given, workspace, home)
    if (yield* secrets.holds(file))
      return {
        _tag: "Never",
        reason: "the file holds secrets and is closed to tools"
      } satisfies Tool.CallEffect
    if (yield* ToolPath.writesInside(file, workspace))
      return { _tag: "WritesWorkspace" } satisfies Tool.CallEffect
    return { _tag: "Escapes", reason: `${file} lies outside the workspace` } satisfies Tool.CallEffect
  })

  return {
    open: (given: string, call: Tool.ToolContext) => Effect.provideContext(open(given, call), context),
    replace: (file: TargetFile, bytes: Uint8Array, call: Tool.ToolContext) =>
      Effect.provideContext(replace(file, bytes, call), context),
    /** What a change of this path would be: `Never` for secrets, else inside or outside the workspace. */
    judge: (given: string, workspace: string): Effect.Effect<Tool.CallEffect> =>
      Effect.provideContext(judge(given, workspace), context)
  }
})
