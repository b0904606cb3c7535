/**
 * The port to what a person has trusted: project folders, and the digest that each thing in them had then. What counts
 * in a folder, and whether it is still the same, is policy's `TrustStore`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

export class TrustRecordsError extends Schema.TaggedError<TrustRecordsError>()("TrustRecordsError", {
  /** One line. */
  message: Schema.String,
  cause: Schema.Defect()
}) {}

/** Digests by path, relative to the folder. */
export type TrustedItems = ReadonlyMap<string, string>

export class TrustRecords extends Context.Service<
  TrustRecords,
  {
    /** Undefined: the folder was never trusted. `folder`: a real path, here and below. */
    readonly get: (folder: string) => Effect.Effect<TrustedItems | undefined, TrustRecordsError>
    /** In place of all that was known of the folder, at once. */
    readonly put: (folder: string, items: TrustedItems) => Effect.Effect<void, TrustRecordsError>
    /** Sorted. */
    readonly list: Effect.Effect<ReadonlyArray<string>, TrustRecordsError>
    /** Another after every `put`, of this process or another; while it is the same, so is every answer. */
    readonly revision: Effect.Effect<string, TrustRecordsError>
  }
>()("@cow/core/TrustRecords") {
  /** In this process only. */
  static readonly layerMemory: Layer.Layer<TrustRecords> = Layer.sync(TrustRecords, () => {
    const folders = new Map<string, TrustedItems>()
    let puts = 0
    return TrustRecords.of({
      get: (folder) => Effect.sync(() => folders.get(folder)),
      put: (folder, items) =>
        Effect.sync(() => {
          folders.set(folder, new Map(items))
          puts += 1
        }),
      list: Effect.sync(() => [...folders.keys()].sort()),
      revision: Effect.sync(() => String(puts))
    })
  })
}
