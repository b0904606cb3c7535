/** Loads the module that does a command's work when the command runs, and not before. */
import * as Effect from "effect/Effect"

export const lazily =
  <Module, Input, A, E, R>(
    load: () => Promise<Module>,
    pick: (module: Module) => (input: Input) => Effect.Effect<A, E, R>
  ) =>
  (input: Input): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.promise(load), (module) => pick(module)(input))
