/** `write`: a whole file. A part of one is `edit`; how bytes reach the disk is `AtomicWrite`. */
import { ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as CodeWarning from "../check/CodeWarning.ts"
import * as DocumentCheck from "../check/DocumentCheck.ts"
import * as Fault from "../check/Fault.ts"
import * as LineGutter from "../edit/LineGutter.ts"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import * as BuiltinTool from "../tool/BuiltinTool.ts"
import { failed } from "../tool/CallFailure.ts"
import * as TargetFile from "./TargetFile.ts"
import * as Utf8Text from "./Utf8Text.ts"

const Input = Schema.Struct({
  path: Schema.String.annotate({
    description: "The file: absolute, starting with ~, or relative to the workspace. Folders are made."
  }),
  content: Schema.String.annotate({ description: "The whole new content." })
})

export const make = Effect.fnUntraced(function* (settings: BuiltinSettings) {
  const targets = yield* TargetFile.make(settings)
  const warning = yield* CodeWarning.make(settings)

  return BuiltinTool.make({
    name: "write",
    description:
      "Writes a whole file, replacing what is there. To change a part of a file use edit. JSON, YAML and TOML must parse.",
    input: Input,
    spec: { mutates_data: true },
    mildest: { _tag: "WritesWorkspace" },
    judge: ({ path }, workspace) => targets.judge(path, workspace),
    run: Effect.fn("WriteTool.run")(function* ({ path, content }, call) {
      if (path === "") return yield* failed('write: "path" is empty')
      const file = yield* targets.open(path, call)
      if (LineGutter.isEcho(content))
        return yield* failed(
          `nothing written: the content carries the line numbers that read shows (N|). Give the text without them, or use edit`
        )
      const before = file.before === undefined ? undefined : Utf8Text.decode(file.before)
      const fault = DocumentCheck.dataFault(file.file, content.replace(/^\ufeff/, ""), before)
      if (fault !== undefined)
        return yield* failed(
          `nothing written: the content of ${file.file} does not parse: ${Fault.describe(fault)}`
        )
      const bytes = new TextEncoder().encode(content)
      yield* targets.replace(file, bytes, call)
      const warned = yield* warning(file.file, before, content)
      const verb = file.before === undefined ? "Created" : "Wrote"
      return ToolResult.ok(`${verb} ${file.file} (${bytes.length} bytes)${file.warning}${warned}`, {
        structured: { path: file.file, bytes: bytes.length }
      })
    })
  })
})
