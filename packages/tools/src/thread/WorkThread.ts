/**
 * Work of libraries on what strangers made, such as pages and PDFs, in a thread of its own: whatever it is given, the
 * rest goes on, and after its time or with too much memory it is ended. This is the layer for Bun's `Worker`; what is
 * done there is `ThreadMain`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Answered, Asked, ThreadWork, WorkName } from "./ThreadWork.ts"

class WorkFailed extends Schema.TaggedError<WorkFailed>()("WorkFailed", {
  /** `Slow` and `Large`: it was ended. `Broken`: the library could not do it, or the thread did not start. */
  reason: Schema.Literals(["Slow", "Large", "Broken"]),
  message: Schema.String
}) {}

const limitSeconds = 20
/** The whole process may grow by this while a thread works. */
const maxGrowthBytes = 1024 * 1024 * 1024
const lookMillis = 100

/** In an executable all modules are one, and the thread's stands by its path below `packages`. */
const entry = (): URL =>
  import.meta.path.startsWith("/$bunfs/")
    ? new URL("./tools/src/thread/ThreadMain.js", import.meta.url)
    : new URL("./ThreadMain.ts", import.meta.url)

const failed = (reason: WorkFailed["reason"], message: string) => new WorkFailed({ reason, message })

/** Fails with `WorkFailed`. Interrupting it ends the thread. */
export const run = <Name extends WorkName>(
  name: Name,
  input: ThreadWork[Name]["input"]
): Effect.Effect<ThreadWork[Name]["output"], WorkFailed> =>
  Effect.callback<ThreadWork[Name]["output"], WorkFailed>((resume) => {
    const thread = new Worker(entry().href)
    const before = process.memoryUsage.rss()
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() - before > maxGrowthBytes)
        end(Effect.fail(failed("Large", `it takes more than ${maxGrowthBytes / 1024 ** 2} MiB of memory`)))
    }, lookMillis)
    const stop = () => {
      clearInterval(watch)
      thread.terminate()
    }
    const end = (result: Effect.Effect<ThreadWork[Name]["output"], WorkFailed>) => {
      stop()
      resume(result)
    }
    thread.onmessage = ({ data }: { data: Answered<Name> }) =>
      end(data._tag === "Done" ? Effect.succeed(data.output) : Effect.fail(failed("Broken", data.message)))
    thread.onerror = ({ message }) => end(Effect.fail(failed("Broken", message)))
    thread.postMessage({ name, input } satisfies Asked<Name>)
    return Effect.sync(stop)
  }).pipe(
    Effect.timeoutOrElse({
      duration: `${limitSeconds} seconds`,
      orElse: () => Effect.fail(failed("Slow", `it takes longer than ${limitSeconds} s`))
    })
  )
