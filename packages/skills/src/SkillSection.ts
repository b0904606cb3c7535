/** Puts the skills into the system prompt. What the section says is `SkillPrompt`; which skills, `SkillLibrary`. */
import { PromptSections } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SkillLibrary } from "./SkillLibrary.ts"
import * as SkillPrompt from "./SkillPrompt.ts"

/** Registers the section in the slot `skills`, for as long as the layer is open. */
export const layer: Layer.Layer<never, never, SkillLibrary | PromptSections> = Layer.effectDiscard(
  Effect.gen(function* () {
    const library = yield* SkillLibrary
    const sections = yield* PromptSections
    yield* sections.register({
      id: "skills",
      slot: "skills",
      stable: true,
      render: ({ persona, workspace, tools }) =>
        Effect.map(library.shown(persona, workspace), (skills) =>
          SkillPrompt.render(skills, tools.find(({ role }) => role === "read-file")?.name)
        )
    })
  })
)
