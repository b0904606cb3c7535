/** Whether the chosen model answers: one tiny request, a few tokens long, and what came back. */
import { Message, Models } from "@cow/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Longer than a provider that works needs for its first word. */
const patienceSeconds = 10

export interface Probe {
  /** Null: it was not asked. */
  readonly ok: boolean | null
  /** What came back; null where it answered. */
  readonly error: string | null
  readonly elapsed_ms: number
}

export const notAsked: Probe = { ok: null, error: null, elapsed_ms: 0 }

/** The first sign of an answer is enough; nothing is tried again. */
export const ask = Effect.fnUntraced(function* (id: string) {
  const begun = yield* Clock.currentTimeMillis
  const heard = Effect.flatMap(Models, (models) => models.get(id)).pipe(
    Effect.flatMap((model) =>
      Stream.runHead(
        model.stream({
          system: [],
          messages: [Message.userText("Answer with the word ok.")],
          tools: [],
          toolChoice: "none"
        })
      )
    ),
    Effect.as<string | null>(null),
    Effect.catch(({ message }) => Effect.succeed(message)),
    Effect.timeoutOrElse({
      duration: `${patienceSeconds} seconds`,
      orElse: () => Effect.succeed(`no answer within ${patienceSeconds} s`)
    })
  )
  const error = yield* heard
  const probe: Probe = { ok: error === null, error, elapsed_ms: (yield* Clock.currentTimeMillis) - begun }
  return probe
})
