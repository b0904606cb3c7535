/**
 * Folders of skills that plugins bring, for as long as their scope is open. Reading them is the skills package's.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Registrations from "./Registrations.ts"

export interface SkillFolder {
  readonly plugin: string
  /** Absolute path. */
  readonly path: string
}

export class SkillFolders extends Context.Service<
  SkillFolders,
  {
    /** In the order of registration. */
    readonly list: Effect.Effect<ReadonlyArray<SkillFolder>>
    readonly register: (folder: SkillFolder) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@cow/core/SkillFolders") {
  static readonly layer: Layer.Layer<SkillFolders> = Layer.sync(SkillFolders, () => {
    const folders = Registrations.make<SkillFolder>()
    return SkillFolders.of({ list: Effect.sync(folders.entries), register: folders.register })
  })
}
