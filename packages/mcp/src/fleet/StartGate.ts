/**
 * When the servers of a process may start the first time: at once, after a head start of the first message, or only once
 * somebody waits for them. What a start is is `ServerSupervisor`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"

/** `on demand`: a server that nobody asks for is never started. */
export type FirstStart = "at once" | "on demand" | Duration.Duration

export interface StartGate {
  /** Waits until this server may start. */
  readonly pass: (name: string) => Effect.Effect<void>
  /** These may start now; none named: all, also those that come later. */
  readonly open: (names: ReadonlyArray<string>) => Effect.Effect<void>
  /** From now on the time of a head start counts. */
  readonly begin: Effect.Effect<void, never, Scope.Scope>
}

export const make = (firstStart: FirstStart): StartGate => {
  const all = Latch.makeUnsafe(firstStart === "at once")
  const single = new Map<string, Latch.Latch>()
  const of = (name: string): Latch.Latch => {
    const latch = single.get(name) ?? Latch.makeUnsafe(false)
    single.set(name, latch)
    return latch
  }
  return {
    pass: (name) => Effect.raceFirst(all.await, of(name).await),
    open: (names) =>
      Effect.sync(() => {
        if (names.length === 0) all.openUnsafe()
        for (const name of names) of(name).openUnsafe()
      }),
    begin: Duration.isDuration(firstStart)
      ? Effect.asVoid(Effect.forkScoped(Effect.delay(all.open, firstStart)))
      : Effect.void
  }
}
