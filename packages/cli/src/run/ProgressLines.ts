/** What slow tools tell while they run, as lines on stderr: for people who read text, and not with `--quiet`. */
import { ToolProgress } from "@cow/core"
import * as Effect from "effect/Effect"
import { QuietFlag } from "../command/GlobalFlags.ts"
import { Output } from "../terminal/Output.ts"

export const shown =
  (format: "text" | "json") =>
  <A, E, R>(run: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { note } = yield* Output
      if (format === "json" || (yield* QuietFlag)) return yield* run
      return yield* Effect.provideService(run, ToolProgress, ({ seconds, text, tool }) =>
        note(`  ${tool}: running for ${seconds} s${text === "" ? "" : `: ${text}`}`)
      )
    })
