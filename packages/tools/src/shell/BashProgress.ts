/** Tells people what a slow command does while it runs: its last line, ever more rarely. The model gets none of it. */
import { type Tool, ToolProgress } from "@cow/core"
import * as Effect from "effect/Effect"
import * as BashResult from "./BashResult.ts"
import type { ShellProcess } from "./ShellProcess.ts"

/** What takes no longer than this is fast: nothing is told of it. */
const firstSeconds = 1
const maxPauseSeconds = 30

/** Until it is interrupted. */
export const tell = Effect.fn("BashProgress.tell")(function* (
  { stderr, stdout }: ShellProcess,
  { callId, runId }: Tool.ToolContext
) {
  const report = yield* ToolProgress
  let seconds = 0
  for (let pause = firstSeconds; ; pause = Math.min(2 * pause, maxPauseSeconds)) {
    yield* Effect.sleep(`${pause} seconds`)
    seconds += pause
    const text = BashResult.shortened(stdout.lastLine() || stderr.lastLine())
    yield* report({ runId, callId, tool: "bash", seconds, text })
  }
})
