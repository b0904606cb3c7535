/** Runs the cases of a contract against a layer, each on a store of its own. */
import { test } from "bun:test"
import type { Contract } from "@cow/core/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const holds = <Store>(cases: ReadonlyArray<Contract.Case<Store>>, layer: Layer.Layer<Store>): void => {
  for (const { name, run } of cases)
    test(name, () => Effect.runPromise(Effect.provide(run, Layer.fresh(layer))))
}
