/**
 * The living table of tools: one per process, shared by every session.
 *
 * Owns who is registered and when it ends. Which registration wins a name is `ToolTable`; who may call a tool is
 * `ToolGate`; which tools a step sends is `ToolSelector`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Tool } from "../model/Tool.ts"
import * as ToolTable from "../model/ToolTable.ts"

/** One source's tools, for as long as the scope that registered them is open. */
export interface ToolRegistration {
  /** Puts other tools in their place, all at once: no snapshot ever holds neither or a mixture. */
  readonly replace: (tools: ReadonlyArray<Tool>) => Effect.Effect<ReadonlyArray<ToolTable.RefusedTool>>
  /** This source's tools that were refused, by name and reason. */
  readonly refused: Effect.Effect<ReadonlyArray<ToolTable.RefusedTool>>
}

export class ToolManager extends Context.Service<
  ToolManager,
  {
    /** Publishes all the tools at once; closing the scope takes all of them back at once. */
    readonly register: (
      source: ToolTable.ToolSource,
      tools: ReadonlyArray<Tool>
    ) => Effect.Effect<ToolRegistration, never, Scope.Scope>
    /** The table as it is now. Immutable, and costs nothing. */
    readonly snapshot: Effect.Effect<ToolTable.ToolTable>
    /** What changes from the moment of subscribing on, a change a registration, replacement or closing. */
    readonly changes: Stream.Stream<ToolTable.ToolsChanged>
  }
>()("@cow/core/ToolManager") {
  static readonly layer: Layer.Layer<ToolManager> = Layer.effect(
    ToolManager,
    Effect.gen(function* () {
      const registrations = new Map<symbol, ToolTable.Registration>()
      let table = ToolTable.empty
      const pubsub = yield* PubSub.unbounded<ToolTable.ToolsChanged>()
      yield* Effect.addFinalizer(() => PubSub.shutdown(pubsub))

      // No yield between a change of the map, the new table and its announcement: a reader sees the one or the
      // other, and a listener hears of changes in the order in which they happened.
      const rebuild = Effect.sync(() => {
        const before = table
        table = ToolTable.build(registrations.values(), before)
        if (table.revision !== before.revision)
          PubSub.publishUnsafe(pubsub, ToolTable.difference(before, table))
      })

      const register = (source: ToolTable.ToolSource, tools: ReadonlyArray<Tool>) => {
        const key = Symbol()
        const refused = Effect.sync(() => table.refused.filter((one) => one.source === source))
        const replace = (next: ReadonlyArray<Tool>) =>
          Effect.suspend(() => {
            // After its scope has closed a registration stays gone.
            if (!registrations.has(key)) return Effect.succeed([])
            registrations.set(key, { source, tools: next })
            return Effect.andThen(rebuild, refused)
          })
        return Effect.as(
          Effect.acquireRelease(
            Effect.suspend(() => {
              registrations.set(key, { source, tools })
              return rebuild
            }),
            () =>
              Effect.suspend(() => {
                registrations.delete(key)
                return rebuild
              })
          ),
          { replace, refused } satisfies ToolRegistration
        )
      }

      return ToolManager.of({
        register,
        snapshot: Effect.sync(() => table),
        changes: Stream.fromPubSub(pubsub)
      })
    })
  )
}
