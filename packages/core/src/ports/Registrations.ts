/**
 * What core's registries hold: entries that stay for as long as the scope that registered them is open. Names, order of
 * precedence and failures of entries are each registry's.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface Registrations<A> {
  readonly register: (entry: A) => Effect.Effect<void, never, Scope.Scope>
  /** As they are now, in the order of registration. */
  readonly entries: () => ReadonlyArray<A>
}

export const make = <A>(): Registrations<A> => {
  // One registration is one object: an entry may be registered twice, and each goes with its own scope.
  const held = new Set<{ readonly entry: A }>()
  return {
    register: (entry) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const one = { entry }
          held.add(one)
          return one
        }),
        (one) => Effect.sync(() => held.delete(one))
      ).pipe(Effect.asVoid),
    entries: () => Array.from(held, ({ entry }) => entry)
  }
}
