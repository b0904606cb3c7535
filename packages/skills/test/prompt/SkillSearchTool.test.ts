import { expect, test } from "bun:test"
import { Events, ToolGate, ToolManager, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { SkillLibrary, SkillSearchTool } from "../../src/index.ts"
import { type Services, type SkillHome, skillText, withHome } from "../SkillHome.ts"

const begin = ({ workspace }: SkillHome) =>
  Effect.flatMap(Events, (events) =>
    events.publish("r", {
      type: "run_started",
      v: 1,
      run_id: "r",
      session_id: "s",
      model: "m",
      persona: "default",
      workspace,
      permission: "read-only",
      tools: { builtin: 0, mcp: 0 },
      mcp: [],
      skills: { available: 0, unavailable: 0 }
    })
  )

const finish = Effect.flatMap(Events, (events) =>
  events.publish("r", {
    type: "tool_finished",
    call_id: "c",
    tool: "bash",
    status: "ok",
    duration_ms: 1,
    content: ""
  })
)

const onOffer = Effect.map(
  Effect.flatMap(ToolManager, (manager) => manager.snapshot),
  ({ byName }) => byName.get(SkillSearchTool.name)
)

const withTool = (use: (home: SkillHome) => Effect.Effect<void, unknown, Services | ToolManager | Events>) =>
  withHome((home) =>
    use(home).pipe(
      Effect.provide(
        Layer.provideMerge(
          SkillSearchTool.layer,
          Layer.mergeAll(ToolManager.layer, Events.layer, ToolGate.layerPermission)
        )
      )
    )
  )

const context = (home: SkillHome) => ({
  callId: "c",
  runId: "r",
  sessionId: "s",
  persona: "default",
  workspace: home.workspace,
  permission: "read-only" as const
})

test("search_skills is on offer only while a run has skills that its prompt cannot list", () =>
  withTool((home) =>
    Effect.gen(function* () {
      yield* home.write("cow/skills/few/SKILL.md", skillText("few", "d"))
      yield* begin(home)
      expect(yield* onOffer).toBeUndefined()
      for (let at = 0; at < 80; at++)
        yield* home.write(
          `cow/skills/s${at}/SKILL.md`,
          skillText(`s${at}`, `Does thing ${at}. ${"word ".repeat(30)}`)
        )
      yield* begin(home)
      const registered = yield* onOffer
      expect(registered?.tool).toMatchObject({
        role: "search-skills",
        spec: { mutates_data: false, requires_confirmation: false }
      })
      const fs = yield* FileSystem.FileSystem
      yield* fs.remove(home.user, { recursive: true })
      yield* begin(home)
      expect(yield* onOffer).toBeUndefined()
    })
  ))

test("search_skills is there for the next step when a call of a tool has made more skills than the prompt can list", () =>
  withTool((home) =>
    Effect.gen(function* () {
      yield* begin(home)
      yield* finish
      expect(yield* onOffer).toBeUndefined()
      for (let at = 0; at < 80; at++)
        yield* home.write(
          `cow/skills/s${at}/SKILL.md`,
          skillText(`s${at}`, `Does thing ${at}. ${"word ".repeat(30)}`)
        )
      yield* finish
      expect((yield* onOffer)?.tool.role).toBe("search-skills")
    })
  ))

test("search_skills finds a skill by its words with the path to read, what it lacks, and nothing that is switched off", () =>
  withTool((home) =>
    Effect.gen(function* () {
      const path = yield* home.write("cow/skills/tea/SKILL.md", skillText("tea-maker", "Brews green tea."))
      yield* home.write("cow/skills/off/SKILL.md", skillText("off", "Brews green tea as well."))
      yield* home.write(
        "cow/skills/needy/SKILL.md",
        skillText("needy", "Brews coffee.", "metadata: {requires: {bins: [nope]}}\n", "SECRET-BODY")
      )
      for (let at = 0; at < 80; at++)
        yield* home.write(
          `cow/skills/s${at}/SKILL.md`,
          skillText(`s${at}`, `Does thing ${at}. ${"word ".repeat(30)}`)
        )
      yield* Effect.flatMap(SkillLibrary, (library) => library.disable("off", home.workspace))
      yield* begin(home)
      const tool = (yield* onOffer)?.tool
      const ask = (query: string) =>
        Effect.map(
          tool?.run({ query }, context(home)) ?? Effect.succeed(ToolResult.failed("no tool")),
          ToolResult.textOf
        )
      const tea = yield* ask("brewing green teas")
      expect(tea).toContain(`<location>${path}</location>`)
      expect(tea).not.toContain("<name>off</name>")
      const coffee = yield* ask("coffee")
      expect(coffee).toContain("<missing>bins: nope</missing>")
      expect(coffee).not.toContain("SECRET-BODY")
      expect(yield* ask("zeppelin")).toStartWith("No skill fits")
      expect(yield* ask("word")).toContain("70 more fit less well")
    })
  ))
