/** Puts the skills into the system prompt. What the section says is `SkillPrompt`; which skills, `SkillLibrary`. */
import { PromptSections, type Tool } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Skill } from "../manifest/Skill.ts"
import { SkillLibrary } from "../SkillLibrary.ts"
import * as SkillListing from "./SkillListing.ts"
import * as SkillPrompt from "./SkillPrompt.ts"

const named = (tools: ReadonlyArray<Tool.Tool>, role: Tool.ToolRole): string | undefined =>
  tools.find((tool) => tool.role === role)?.name

/** Registers the section in the slot `skills`, for as long as the layer is open. */
export const layer: Layer.Layer<never, never, SkillLibrary | PromptSections> = Layer.effectDiscard(
  Effect.gen(function* () {
    const library = yield* SkillLibrary
    const sections = yield* PromptSections
    const maxChars = SkillListing.maxCharsOf(yield* SkillListing.contextTokens)
    /** By the tools it names; the same skills under the same tools are the same text. */
    const texts = new WeakMap<ReadonlyArray<Skill>, Map<string, string>>()
    yield* sections.register({
      id: "skills",
      slot: "skills",
      stable: true,
      render: Effect.fnUntraced(function* ({ persona, workspace, tools }) {
        const skills = yield* library.shown(persona, workspace)
        const [readTool, searchTool] = [named(tools, "read-file"), named(tools, "search-skills")]
        const known = texts.get(skills) ?? new Map<string, string>()
        texts.set(skills, known)
        const key = JSON.stringify([readTool, searchTool])
        const text = known.get(key) ?? SkillPrompt.render(skills, readTool, { maxChars, searchTool })
        known.set(key, text)
        return text
      })
    })
  })
)
