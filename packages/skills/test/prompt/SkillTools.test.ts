/** Tools that a skill names: it depends on them, and naming them gives nothing. */
import { describe, expect, test } from "bun:test"
import { Tool, ToolManager, ToolResult } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { SkillLibrary, SkillPrompt } from "../../src/index.ts"
import { type Services, type SkillHome, skillText, withHome } from "../SkillHome.ts"

const withTools = (use: (home: SkillHome) => Effect.Effect<void, unknown, Services | ToolManager>) =>
  withHome((home) =>
    use(home).pipe(Effect.provide(Layer.provideMerge(SkillLibrary.layerTools, ToolManager.layer)))
  )

const tool = (name: string, server = "") =>
  Tool.make({
    name,
    description: "d",
    spec: server === "" ? {} : { server, specialist: "mcp_worker" },
    run: () => Effect.succeed(ToolResult.ok(""))
  })

const register = (server: string, name: string) =>
  Effect.flatMap(ToolManager, (manager) =>
    manager.register({ _tag: "Mcp", server }, [tool(`mcp__${server}__${name}`, server)])
  )

const look = (home: SkillHome) =>
  Effect.gen(function* () {
    const library = yield* SkillLibrary
    const { skills } = yield* library.list(home.workspace)
    const section = SkillPrompt.render(yield* library.shown("default", home.workspace), "read")
    return { skill: skills[0], section }
  })

describe("a skill that names tools", () => {
  test("is unavailable while one is missing, says which, and follows the servers as they come and go", () =>
    withTools((home) =>
      Effect.gen(function* () {
        yield* home.write("cow/skills/s/SKILL.md", skillText("s", "d", "tool_names: [mcp__x__status]\n"))
        const missing = "<missing>tools: mcp__x__status</missing>"
        const before = yield* look(home)
        expect(before.skill).toMatchObject({ available: false, reason: "tool_missing: mcp__x__status" })
        expect(before.skill?.missing.tools).toEqual(["mcp__x__status"])
        expect(before.section).toContain(missing)
        const scope = yield* Scope.make()
        yield* Scope.provide(register("x", "status"), scope)
        const there = yield* look(home)
        expect(there.skill).toMatchObject({ available: true, reason: null })
        expect(there.skill?.missing).toEqual({ bins: [], anyBins: [], env: [], anyEnv: [] })
        expect(there.section).not.toContain("unavailable_skills")
        yield* Scope.close(scope, Exit.void)
        expect((yield* look(home)).section).toContain(missing)
      })
    ))

  test("is available when the tool exists, whoever may use it, and neither makes nor grants one", () =>
    withTools((home) =>
      Effect.gen(function* () {
        const manager = yield* ToolManager
        yield* manager.register({ _tag: "Builtin" }, [tool("read")])
        yield* register("fs", "write")
        const before = yield* manager.snapshot
        yield* home.write(
          "cow/skills/s/SKILL.md",
          skillText("s", "d", "tool_names: [read, mcp__fs__write]\nallowed-tools: Bash Read\n")
        )
        const { skill } = yield* look(home)
        expect(skill).toMatchObject({ available: true, reason: null })
        expect(yield* manager.snapshot).toBe(before)
        const library = yield* SkillLibrary
        const { diagnostics, skills } = yield* library.catalogue(home.workspace)
        expect(diagnostics).toEqual([])
        expect(skills[0]?.manifest).toMatchObject({
          toolNames: ["read", "mcp__fs__write"],
          allowedTools: ["Bash", "Read"]
        })
      })
    ))

  test("in a shape that is no list of names loads with a warning", () =>
    withTools((home) =>
      Effect.gen(function* () {
        const path = yield* home.write("cow/skills/s/SKILL.md", skillText("s", "d", "tool_names: {a: b}\n"))
        const { diagnostics, skills } = yield* Effect.flatMap(SkillLibrary, (library) =>
          library.list(home.workspace)
        )
        expect(skills[0]?.available).toBe(true)
        expect(diagnostics).toMatchObject([{ path, severity: "warning" }])
      })
    ))
})
