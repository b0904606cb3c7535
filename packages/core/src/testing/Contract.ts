/**
 * What every layer of a port must keep, as effects that fail with what is broken: any test runner can run them
 * against any layer. Time in them is `TestClock`'s; each begins with an empty store.
 */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"

export class ContractBroken extends Schema.TaggedError<ContractBroken>()("ContractBroken", {
  /** What was looked at, what it is, and what it must be. */
  message: Schema.String
}) {}

/** To be run on a store of its own. */
export interface Case<Store> {
  /** A sentence about the store. */
  readonly name: string
  readonly run: Effect.Effect<void, ContractBroken, Store>
}

const shown = (value: unknown): string => JSON.stringify(value) ?? String(value)

/** An error of the store that the contract does not expect breaks it. */
export const make = <E, Store>(name: string, run: Effect.Effect<void, E, Store>): Case<Store> => ({
  name,
  run: run.pipe(
    Effect.mapError((error) =>
      error instanceof ContractBroken
        ? error
        : new ContractBroken({ message: `${name}: failed with ${shown(error)} ${String(error)}` })
    ),
    Effect.provide(TestClock.layer())
  )
})

export const same = (what: string, found: unknown, expected: unknown): Effect.Effect<void, ContractBroken> =>
  Equal.equals(found, expected)
    ? Effect.void
    : new ContractBroken({ message: `${what} is ${shown(found)}, and must be ${shown(expected)}` })

/** The effect fails, with these fields. Gives the error. */
export const fails = <A, E extends { readonly _tag: string }, R>(
  what: string,
  effect: Effect.Effect<A, E, R>,
  expected: Readonly<Record<string, unknown>> & { readonly _tag: string }
): Effect.Effect<E, ContractBroken, R> =>
  Effect.gen(function* () {
    const result = yield* Effect.result(effect)
    if (result._tag === "Success")
      return yield* new ContractBroken({
        message: `${what} succeeded with ${shown(result.success)}, and must fail with ${shown(expected)}`
      })
    const error = result.failure as E & Readonly<Record<string, unknown>>
    const found = Object.fromEntries(Object.keys(expected).map((key) => [key, error[key]]))
    yield* same(`the error of ${what}`, found, expected)
    return error
  })
