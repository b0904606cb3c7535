/** Whether a text is Python, by the `python3` on PATH; where there is none, nothing is said. Runs none of the text. */
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import type { BuiltinSettings } from "../tool/BuiltinSettings.ts"
import type { Fault } from "./Fault.ts"

const program =
  "import ast,sys\ntry: ast.parse(sys.stdin.buffer.read())\nexcept SyntaxError as e: print(e.lineno or 0, e.msg)\nexcept ValueError as e: print(0, e)"

/** A file of this size is checked in well under this. */
const limit = "5 seconds"

export const make = Effect.fnUntraced(function* ({ env }: BuiltinSettings) {
  const spawner = yield* ChildProcessSpawner
  return (text: string): Effect.Effect<Fault | undefined> =>
    spawner
      .string(
        // Isolated: no folder of the user's is looked into for modules.
        ChildProcess.make("python3", ["-I", "-S", "-c", program], {
          env,
          stdin: Stream.make(new TextEncoder().encode(text)),
          stderr: "ignore",
          forceKillAfter: "1 second"
        })
      )
      .pipe(
        Effect.timeout(limit),
        Effect.map((answer): Fault | undefined => {
          const [, line, message] = /^(\d+) (.*)/.exec(answer) ?? []
          return message === undefined ? undefined : { line: Number(line) || undefined, message }
        }),
        // Advice only: without the program, or in time, there is none.
        Effect.orElseSucceed(() => undefined)
      )
})
