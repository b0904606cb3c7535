/**
 * The port to the skills that count for a persona in a workspace. The skills package has the layer; core's own
 * has none. A skill is read, never called: how one enters the prompt is a `PromptSections` section.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface SkillCard {
  readonly name: string
  readonly description: string
  /** Absolute path of its `SKILL.md`. */
  readonly path: string
  readonly available: boolean
}

export class SkillCatalog extends Context.Service<
  SkillCatalog,
  {
    /** Those that stand in the prompt, available and unavailable, sorted by name. */
    readonly cards: (persona: string, workspace: string) => Effect.Effect<ReadonlyArray<SkillCard>>
  }
>()("@cow/core/SkillCatalog") {
  static readonly layerNone: Layer.Layer<SkillCatalog> = Layer.succeed(SkillCatalog, {
    cards: () => Effect.succeed([])
  })
}
