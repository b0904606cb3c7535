/**
 * Which project folders a person trusts, by real path, with the digest of each thing in them that counts
 * (`ProjectFiles`). Something that changed since is untrusted until the folder is trusted again.
 *
 * What was trusted is kept by core's `TrustRecords`, asked only for a folder that holds something to trust.
 */
import { TrustRecords, type TrustRecordsError } from "@cow/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as ProjectFiles from "./ProjectFiles.ts"

/** A project folder, or something in it, could not be read. */
export class ProjectUnreadable extends Schema.TaggedError<ProjectUnreadable>()("ProjectUnreadable", {
  folder: Schema.String,
  /** One line. */
  message: Schema.String,
  cause: Schema.Defect()
}) {}

/**
 * How a folder stands. Paths are relative to it: `.mcp.json`, `.cow/config.json`, `.cow/skills/<folder>`, ….
 *
 * - `Empty`: it holds nothing that would need trust.
 * - `Untrusted`: never trusted.
 * - `Changed`: trusted, and `changed` is new or different since.
 */
export type Trust =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Untrusted"; readonly items: ReadonlyArray<string> }
  | { readonly _tag: "Trusted"; readonly items: ReadonlyArray<string> }
  | {
      readonly _tag: "Changed"
      readonly items: ReadonlyArray<string>
      readonly changed: ReadonlyArray<string>
    }

type TrustError = ProjectUnreadable | TrustRecordsError

export class TrustStore extends Context.Service<
  TrustStore,
  {
    readonly state: (folder: string) => Effect.Effect<Trust, TrustError>
    /** True when everything in the folder that needs trust has it. */
    readonly isTrusted: (folder: string) => Effect.Effect<boolean, TrustError>
    /** Whether this one item, as it is now, was trusted. `item`: a relative path as in `Trust`. */
    readonly covers: (folder: string, item: string) => Effect.Effect<boolean, TrustError>
    /** Trusts what the folder holds at this moment. Gives the trusted items. */
    readonly trust: (folder: string) => Effect.Effect<ReadonlyArray<string>, TrustError>
    /** Real paths, sorted. */
    readonly list: Effect.Effect<ReadonlyArray<string>, TrustRecordsError>
  }
>()("@cow/policy/TrustStore") {
  static readonly layer: Layer.Layer<TrustStore, never, TrustRecords | FileSystem.FileSystem | Path.Path> =
    Layer.effect(
      TrustStore,
      Effect.gen(function* () {
        const records = yield* TrustRecords
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path

        const look = (folder: string) =>
          Effect.gen(function* () {
            const real = yield* fs.realPath(folder)
            return { real, items: yield* ProjectFiles.read(real) }
          }).pipe(
            Effect.provideService(FileSystem.FileSystem, fs),
            Effect.provideService(Path.Path, path),
            Effect.mapError(
              (cause) => new ProjectUnreadable({ folder, message: `${folder}: ${cause.message}`, cause })
            )
          )

        const state = Effect.fn("TrustStore.state")(function* (folder: string) {
          const { items, real } = yield* look(folder)
          const names = [...items.keys()]
          if (names.length === 0) return { _tag: "Empty" } as const
          const trusted = yield* records.get(real)
          if (trusted === undefined) return { _tag: "Untrusted", items: names } as const
          const changed = names.filter((name) => trusted.get(name) !== items.get(name))
          return changed.length === 0
            ? ({ _tag: "Trusted", items: names } as const)
            : ({ _tag: "Changed", items: names, changed } as const)
        })

        const trust = Effect.fn("TrustStore.trust")(function* (folder: string) {
          const { items, real } = yield* look(folder)
          yield* records.put(real, items)
          return [...items.keys()]
        })

        return TrustStore.of({
          state,
          trust,
          isTrusted: (folder) => Effect.map(state(folder), ({ _tag }) => _tag === "Trusted"),
          covers: (folder, item) => Effect.map(state(folder), (trust) => isCovered(trust, item)),
          list: records.list
        })
      })
    )
}

/** True where a state says that the item is there and trusted. */
export const isCovered = (trust: Trust, item: string): boolean => {
  switch (trust._tag) {
    case "Empty":
    case "Untrusted":
      return false
    case "Trusted":
      return trust.items.includes(item)
    case "Changed":
      return trust.items.includes(item) && !trust.changed.includes(item)
  }
}
