/**
 * Turns a tool's result into the message part that answers its call, bounded in size. The whole of an over-long
 * result is saved to a file that the notice names.
 */
import { Excerpt, Message, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as AgentLimits from "../AgentLimits.ts"

export interface BoundRequest {
  readonly runId: string
  readonly call: Message.ToolCallPart
  readonly result: ToolResult.ToolResult
}

export type BoundResult = (request: BoundRequest) => Effect.Effect<Message.ToolResultPart>

const fileName = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 80)

/** The bounding function over the file system it was made with. Files: `<resultFolder>/<run>/<call>.txt`. */
export const make: Effect.Effect<BoundResult, never, FileSystem.FileSystem | Path.Path> = Effect.gen(
  function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path

    const save = Effect.fnUntraced(function* (runId: string, callId: string, text: string) {
      const root = yield* AgentLimits.resultFolder
      if (root === "") return undefined
      const folder = path.join(root, fileName(runId))
      const file = path.join(folder, `${fileName(callId)}.txt`)
      yield* fs.makeDirectory(folder, { recursive: true })
      yield* fs.writeFileString(file, text, { mode: 0o600 })
      return file
    })

    return Effect.fnUntraced(function* ({ call, result, runId }) {
      const part = (content: ReadonlyArray<ToolResult.ToolContent>): Message.ToolResultPart => ({
        type: "tool_result",
        callId: call.id,
        name: call.name,
        status: ToolResult.statusOf(result),
        content
      })
      const content = result.content.map((one) =>
        one.type === "text" ? Message.text(Excerpt.wellFormed(one.text)) : one
      )
      const size = yield* AgentLimits.maxResultChars
      const length = content.reduce((sum, one) => sum + (one.type === "text" ? one.text.length : 0), 0)
      if (length <= size) return part(content)
      const text = content.flatMap((one) => (one.type === "text" ? [one.text] : [])).join("\n")
      const saved = yield* save(runId, call.id, text).pipe(
        Effect.catch((error) =>
          Effect.as(Effect.logWarning(`a long result could not be saved: ${error.message}`), undefined)
        )
      )
      const where = saved === undefined ? "the rest was not kept" : `the whole is in ${saved}`
      const notice = `\n\n[… cut: ${length} characters in all; ${where} …]\n\n`
      const cut = Message.text(Excerpt.middle(text, size, notice))
      return part([cut, ...content.filter((one) => one.type === "image")])
    })
  }
)
