/**
 * Ctrl-C in a person's chat: during an answer it cancels the answer; twice in a row while nothing runs it ends the
 * chat. Another one while an answer is already being cancelled is not taken, so that nothing can hold the terminal.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { Interrupts } from "../terminal/Interrupts.ts"
import type { ChatSession } from "./ChatSession.ts"

/** Two at an empty line are one wish within this. */
const togetherMillis = 2_000

/** Gives what waits until the person wants to leave. `tell`: what one Ctrl-C at an empty line did not do. */
export const make = Effect.fnUntraced(function* (
  chat: Pick<ChatSession, "take" | "isIdle">,
  tell: Effect.Effect<void>
) {
  const pressed = yield* Queue.unbounded<void>()
  const leaving = yield* Deferred.make<void>()
  let cancelling = false
  let lastAt = Number.NEGATIVE_INFINITY

  const take = Effect.gen(function* () {
    yield* Queue.take(pressed)
    if (yield* chat.isIdle) {
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      if (now - lastAt <= togetherMillis) return yield* Deferred.succeed(leaving, undefined)
      lastAt = now
      return yield* tell
    }
    cancelling = true
    yield* Effect.ensuring(
      chat.take({ _tag: "Cancel" }),
      Effect.sync(() => {
        cancelling = false
      })
    )
  })
  yield* Effect.forkScoped(Effect.forever(take))
  yield* (yield* Interrupts).take(() => {
    if (cancelling) return false
    Queue.offerUnsafe(pressed, undefined)
    return true
  })
  return Deferred.await(leaving)
})
