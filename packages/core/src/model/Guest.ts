/**
 * Code that others wrote (a plugin's tool, section, sink, selector), run at arm's length: whatever it does, whoever
 * called it gets a value and goes on. It works in a fiber of its own, so that what it interrupts is itself alone.
 *
 * What its failure means is the caller's: a tool's error, a section left out, a call denied. Whether what it gave has
 * the right shape is the caller's too; a type says nothing about code that was never compiled against it.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

export type Outcome<A> =
  | { readonly _tag: "Given"; readonly value: A }
  /** It threw, failed, died, or gave no Effect. */
  | { readonly _tag: "Broke"; readonly message: string; readonly cause: Cause.Cause<unknown> }
  /** It was interrupted, and not by whoever waited for it. */
  | { readonly _tag: "Interrupted" }
  /** It took longer than its limit, and was interrupted for it. */
  | { readonly _tag: "Late" }

/** What a section, a selector, an adviser, a catalogue or a sink may take, so that a step comes to its request. */
export const maxSeconds = Context.Reference<number>("@cow/core/Guest/maxSeconds", { defaultValue: () => 5 })

/** What a check may take whose failure denies a call. */
export const maxCheckSeconds = Context.Reference<number>("@cow/core/Guest/maxCheckSeconds", {
  defaultValue: () => 10
})

/** What is waited for code that was interrupted and cleans up; afterwards it is left to itself. */
const grace: Duration.Input = "10 seconds"

/** The words of something thrown, which may be anything. */
export const messageOf = (thrown: unknown): string => {
  try {
    const said = thrown instanceof Error ? thrown.message || thrown.name : undefined
    if (said !== undefined) return said
    const text = typeof thrown === "object" && thrown !== null ? JSON.stringify(thrown) : String(thrown)
    return text ?? String(thrown)
  } catch {
    return "something that cannot be shown was thrown"
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** A Promise is no Effect; one that is rejected says more than that. */
const notAnEffect = (value: unknown): Effect.Effect<never> =>
  isPromise(value)
    ? Effect.flatMap(
        Effect.promise(async () => await value),
        () => Effect.die(new Error("it gave a Promise where an Effect is expected"))
      )
    : Effect.die(
        new Error(
          `it gave ${value === null ? "null" : `a value of type ${typeof value}`} where an Effect is expected`
        )
      )

const outcomeOf = <A, E>(exit: Exit.Exit<A, E>): Outcome<A> => {
  if (exit._tag === "Success") return { _tag: "Given", value: exit.value }
  if (Cause.hasInterruptsOnly(exit.cause)) return { _tag: "Interrupted" }
  return { _tag: "Broke", message: messageOf(Cause.squash(exit.cause)), cause: exit.cause }
}

/** Interrupts it and waits for its end, but not for ever: code can refuse to be interrupted. */
const stop = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.suspend(() => {
    fiber.interruptUnsafe()
    return fiber.pollUnsafe() === undefined
      ? Effect.asVoid(Effect.timeoutOption(Fiber.await(fiber), grace))
      : Effect.void
  })

/**
 * @param work its failures are part of the outcome
 * @param limit absent: it may take as long as it likes. Interrupting the caller interrupts it in any case.
 */
export const settle = <A, E, R>(
  work: () => Effect.Effect<A, E, R>,
  limit?: Duration.Input
): Effect.Effect<Outcome<A>, never, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const begun = Effect.suspend((): Effect.Effect<A, E, R> => {
        const given = work()
        return Effect.isEffect(given) ? given : notAnEffect(given)
      })
      const fiber = yield* Effect.forkDetach(begun, { startImmediately: true })
      const done = fiber.pollUnsafe()
      if (done !== undefined) return outcomeOf(done)
      const awaited = Fiber.await(fiber)
      const exit = yield* restore(
        limit === undefined ? Effect.asSome(awaited) : Effect.timeoutOption(awaited, limit)
      ).pipe(Effect.onInterrupt(() => stop(fiber)))
      if (Option.isSome(exit)) return outcomeOf(exit.value)
      yield* restore(stop(fiber)).pipe(Effect.onInterrupt(() => Effect.void))
      return { _tag: "Late" }
    })
  )

/** In words, behind the name of whose code it was. */
export const describe = (outcome: Exclude<Outcome<unknown>, { readonly _tag: "Given" }>): string => {
  switch (outcome._tag) {
    case "Broke":
      return `failed: ${outcome.message}`
    case "Interrupted":
      return "interrupted itself"
    case "Late":
      return "took too long"
  }
}

/**
 * What it gave within `maxSeconds`, or `otherwise` with a line in the log: `who`, and what became of it.
 *
 * @param isShaped whether what it gave can be used at all
 */
export const orElse = <A, E, R>(
  who: string,
  work: () => Effect.Effect<A, E, R>,
  otherwise: A,
  isShaped: (value: unknown) => boolean
): Effect.Effect<A, never, R> =>
  Effect.gen(function* () {
    const outcome = yield* settle(work, Duration.seconds(yield* maxSeconds))
    if (outcome._tag === "Given" && isShaped(outcome.value)) return outcome.value
    const why = outcome._tag === "Given" ? "gave something of another shape" : describe(outcome)
    yield* Effect.logWarning(`${who} ${why}`)
    return otherwise
  })
