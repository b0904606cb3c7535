/**
 * What ends a command from outside. A Ctrl-C may be taken before: by a chat, in which it means the answer and not the
 * chat. A reader that has gone ends it for sure. Listening to signals, and ending, is `Program`'s.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** False: not taken, the command ends. */
type Taker = () => boolean

export class Interrupts extends Context.Service<
  Interrupts,
  {
    /** From now on and until the scope closes. */
    readonly take: (taker: Taker) => Effect.Effect<void, never, Scope.Scope>
    /** One Ctrl-C. */
    readonly offer: Taker
    /** Whoever read standard output has gone: the command ends, and says nothing. */
    readonly leave: () => void
  }
>()("@cow/cli/Interrupts") {
  static readonly make = (leave: () => void): Interrupts["Service"] => {
    const takers = new Set<Taker>()
    return Interrupts.of({
      take: (taker) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => takers.add(taker)),
            () => Effect.sync(() => takers.delete(taker))
          )
        ),
      offer: () => [...takers].some((taker) => taker()),
      leave
    })
  }
}
