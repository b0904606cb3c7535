import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Registrations from "../../src/ports/Registrations.ts"

test("an entry stays until its own scope closes, also one that is registered twice", () =>
  Effect.gen(function* () {
    const { entries, register } = Registrations.make<string>()
    const [first, second] = [yield* Scope.make(), yield* Scope.make()]
    yield* Scope.provide(register("a"), first)
    yield* Scope.provide(register("b"), first)
    yield* Scope.provide(register("a"), second)
    const before = entries()
    expect(before).toEqual(["a", "b", "a"])
    yield* Scope.close(first, Exit.void)
    expect(entries()).toEqual(["a"])
    expect(before).toEqual(["a", "b", "a"])
    yield* Scope.close(second, Exit.void)
    expect(entries()).toEqual([])
  }).pipe(Effect.runPromise))
