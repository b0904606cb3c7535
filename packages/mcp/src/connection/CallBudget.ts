/** How long a call may take: its time-out, which each sign of progress starts anew, and never more than a total. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

/** A person who is asked meanwhile takes their time: looked for again after this. */
const whilePersonIsAsked = Duration.seconds(1)

/** However much progress a server tells of, a call ends after this many times its time-out. */
const maxTimes = 10

/**
 * `None` when the time was up; the call is interrupted then.
 *
 * @param call is handed what to call at each sign of progress
 * @param isPaused a person is being asked: the time-out begins anew when that is over
 */
export const within = <A, E, R>(
  seconds: number,
  call: (onProgress: () => void) => Effect.Effect<A, E, R>,
  isPaused: () => boolean = () => false
): Effect.Effect<Option.Option<A>, E, R> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const budget = seconds * 1000
    const end = clock.currentTimeMillisUnsafe() + budget * maxTimes
    let deadline = clock.currentTimeMillisUnsafe() + budget
    const untilDeadline: Effect.Effect<Option.Option<never>> = Effect.suspend(() => {
      if (isPaused()) {
        deadline = clock.currentTimeMillisUnsafe() + budget
        return Effect.andThen(Effect.sleep(whilePersonIsAsked), untilDeadline)
      }
      const left = deadline - clock.currentTimeMillisUnsafe()
      return left <= 0
        ? Effect.succeedNone
        : Effect.andThen(Effect.sleep(Duration.millis(left)), untilDeadline)
    })
    const onProgress = () => {
      deadline = Math.min(end, clock.currentTimeMillisUnsafe() + budget)
    }
    return yield* Effect.raceFirst(Effect.asSome(call(onProgress)), untilDeadline)
  })
