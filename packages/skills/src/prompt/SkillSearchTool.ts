/**
 * The tool `search_skills`: finds skills that the prompt had no room for. On offer only while there are such skills for
 * somebody who has begun a run; how well a skill fits is `SkillSearch`.
 */
import { Events, Tool, ToolManager, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Skill } from "../manifest/Skill.ts"
import { SkillLibrary } from "../SkillLibrary.ts"
import * as SkillCards from "./SkillCards.ts"
import * as SkillListing from "./SkillListing.ts"
import * as SkillPrompt from "./SkillPrompt.ts"
import * as SkillSearch from "./SkillSearch.ts"

export const name = "search_skills"

const maxHits = 10

const inputSchema = {
  type: "object",
  properties: { query: { type: "string", minLength: 1, description: "What the skill should be good for" } },
  required: ["query"],
  additionalProperties: false
} as const

const make = (library: SkillLibrary["Service"]): Tool.Tool =>
  Tool.make({
    name,
    description:
      "Finds skills by the words of their names and descriptions, also those that the list of skills had no room for. " +
      "A skill is not called: open the file at its location and follow it.",
    inputSchema,
    role: "search-skills",
    parallelSafe: true,
    run: Effect.fn("SkillSearchTool.run")(function* ({ query }, { persona, workspace }) {
      const skills = yield* library.shown(persona, workspace)
      const hits = SkillSearch.search(String(query), skills)
      if (hits.length === 0)
        return ToolResult.ok(`No skill fits these words; ${skills.length} were looked at.`)
      const best = hits.slice(0, maxHits).map(({ skill }) => skill)
      const more =
        hits.length > best.length
          ? `\n${hits.length - best.length} more fit less well; other words find them.`
          : ""
      return ToolResult.ok(SkillCards.blocks(best) + more)
    })
  })

interface Asker {
  readonly persona: string
  readonly workspace: string
}

/** Registers the tool as soon as a run's prompt cannot list every skill: when it begins, or after a call of a tool. */
export const layer: Layer.Layer<never, never, SkillLibrary | ToolManager | Events> = Layer.effectDiscard(
  Effect.gen(function* () {
    const library = yield* SkillLibrary
    const events = yield* Events
    const maxChars = SkillListing.maxCharsOf(yield* SkillListing.contextTokens)
    const registration = yield* (yield* ToolManager).register({ _tag: "Builtin" }, [])
    const tool = make(library)
    /** Who has skills that are not listed, by persona and workspace. */
    const inNeed = new Set<string>()
    const running = new Map<string, Asker>()
    /** Of skills that were measured before; the same ones are the same value. */
    const exceeds = new WeakMap<ReadonlyArray<Skill>, boolean>()
    const weigh = Effect.fnUntraced(function* ({ persona, workspace }: Asker) {
      const skills = yield* library.shown(persona, workspace)
      // The longest name a tool can have: whatever it is called, nothing is out of reach.
      const isOver =
        exceeds.get(skills) ?? SkillPrompt.listing(skills, "x".repeat(64), maxChars).unlisted.length > 0
      exceeds.set(skills, isOver)
      const key = JSON.stringify([persona, workspace])
      const before = inNeed.size
      if (isOver) inNeed.add(key)
      else inNeed.delete(key)
      if (before === 0 && inNeed.size > 0) yield* registration.replace([tool])
      if (before > 0 && inNeed.size === 0) yield* registration.replace([])
    })
    yield* events.addSink((runId, event) => {
      switch (event.type) {
        case "run_started":
          running.set(runId, event)
          return weigh(event)
        // The next step sees the tool: sinks are waited for.
        case "tool_finished": {
          const asker = running.get(runId)
          return asker === undefined ? Effect.void : weigh(asker)
        }
        case "run_finished":
          running.delete(runId)
          return Effect.void
        default:
          return Effect.void
      }
    })
  })
)
