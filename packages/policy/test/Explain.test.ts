import { describe, expect, test } from "bun:test"
import {
  Audience,
  McpToolName,
  PersonaStore,
  RunStore,
  type ServerStatus,
  SkillCatalog,
  ToolManager
} from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Explain, type Explanation, PolicyGate } from "../src/index.ts"
import { builtin, mcp, server, servers } from "./Fixtures.ts"

const skills = Layer.succeed(SkillCatalog, {
  cards: () =>
    Effect.succeed([{ name: "deploy", description: "", path: "/s/deploy/SKILL.md", available: true }])
})

const explain = (
  name: string,
  list: ReadonlyArray<ServerStatus>,
  options: { persona?: string; registered?: boolean; waiting?: string } = {}
) =>
  Effect.gen(function* () {
    const manager = yield* ToolManager
    yield* manager.register({ _tag: "Builtin" }, [builtin("read_file"), builtin("ls")])
    if (options.registered !== false)
      yield* manager.register({ _tag: "Mcp", server: "fs" }, [
        mcp("fs", "read", true),
        mcp("fs", "write", false)
      ])
    if (options.waiting !== undefined) yield* storeWaiting(options.waiting)
    const { explain } = yield* Explain
    const { persona = "default" } = options
    return yield* explain({ name, persona, permission: "workspace-write", workspace: "/w" })
  }).pipe(
    Effect.provide(Explain.layer),
    Effect.provide(PolicyGate.layer),
    Effect.provide([
      ToolManager.layer,
      servers({ list }),
      skills,
      RunStore.layerMemory,
      PersonaStore.layerMemory
    ]),
    Effect.scoped
  )

const storeWaiting = Effect.fnUntraced(function* (tool: string) {
  const runs = yield* RunStore
  yield* runs.create({
    id: "run-7",
    sessionId: "s",
    status: "waiting_approval",
    model: "offline/cow",
    persona: "default",
    permission: "workspace-write",
    workspace: "/w",
    maxSteps: 30,
    steps: 1,
    startsAt: 0,
    restricted: false,
    parent: null,
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
    pending: { callId: "c", tool, server: "fs", input: {}, reason: "it may change data" },
    error: null
  })
})

const steps = (document: Explanation) => Object.fromEntries(document.steps.map((step) => [step.check, step]))

describe("Explain", () => {
  test("an allowed tool: seven checks, all ok, no fix", () => {
    const document = Effect.runSync(explain("mcp__fs__read", [server()]))
    expect(document).toMatchObject({ tool: "mcp__fs__read", allowed: true, requires_confirmation: false })
    expect(document.steps).toHaveLength(7)
    expect(document.steps.every(({ fix, ok }) => ok && fix === null)).toBe(true)
  })

  test("a tool that is asked for is allowed, and the run that waits for it is named", () => {
    const document = Effect.runSync(explain("mcp__fs__write", [server()], { waiting: "mcp__fs__write" }))
    expect(document).toMatchObject({ allowed: true, requires_confirmation: true })
    expect(steps(document).confirmation).toMatchObject({ ok: false, fix: "cow approve run-7" })
    expect(steps(document).confirmation?.detail).toContain("run-7")
    const nobody = Effect.runSync(explain("mcp__fs__write", [server()], { waiting: "other" }))
    expect(steps(nobody).confirmation?.fix).toBe("cow approve RUN")
  })

  test("connected but not granted: only the grant is not ok", () => {
    const document = Effect.runSync(explain("mcp__fs__read", [server({ audience: Audience.only([]) })]))
    expect(document.allowed).toBe(false)
    expect(document.steps.filter(({ ok }) => !ok)).toMatchObject([
      { check: "grant", fix: "cow mcp grant fs default" }
    ])
  })

  test("a tool of a disabled server: registered and server share the fix", () => {
    const list = [server({ state: "disabled", toolCount: 0 })]
    const document = Effect.runSync(explain("mcp__fs__read", list, { registered: false }))
    const { permission, registered, server: up } = steps(document)
    expect(document.allowed).toBe(false)
    expect(registered).toMatchObject({ ok: false, fix: "cow mcp enable fs" })
    expect(up).toMatchObject({ ok: false, fix: "cow mcp enable fs" })
    expect(permission).toMatchObject({ ok: false, detail: "not checked", fix: null })
  })

  test("a tool that a ready server does not have: registered is not ok, server is", () => {
    const document = Effect.runSync(explain("mcp__fs__reed", [server()]))
    const { registered, server: up } = steps(document)
    expect(registered).toMatchObject({ ok: false, fix: "cow tools explain mcp__fs__read" })
    expect(up?.ok).toBe(true)
  })

  test("a tool of a server with a long name is told by the server, though the name is cut", () => {
    const long = "s".repeat(60)
    const [name = ""] = McpToolName.ofTools(long, ["read"], [])
    const list = [server({ name: long, state: "disabled", toolCount: 0 })]
    const { registered } = steps(Effect.runSync(explain(name, list, { registered: false })))
    expect(registered).toMatchObject({ ok: false, fix: `cow mcp enable ${long}` })
  })

  test("a skill is read, not called", () => {
    const document = Effect.runSync(explain("deploy", []))
    const { registered, skill } = steps(document)
    expect(registered?.ok).toBe(false)
    expect(skill).toMatchObject({ ok: false, fix: "cat '/s/deploy/SKILL.md'" })
    expect(document.allowed).toBe(false)
  })

  test("an unknown name: not allowed, the nearest names in the fix, the rest not checked", () => {
    const document = Effect.runSync(explain("read_fil", [server()]))
    const { confirmation, grant, registered } = steps(document)
    expect(registered?.fix).toStartWith("cow tools explain read_file")
    expect(grant).toMatchObject({ ok: false, detail: "not checked" })
    expect(confirmation).toMatchObject({ ok: false, detail: "not checked" })
    expect(document.allowed).toBe(false)
    expect(steps(Effect.runSync(explain("zzzzzz", []))).registered?.fix).toBe("cow tools list")
  })

  test("an unknown persona is an error", () => {
    const error = Effect.runSync(Effect.flip(explain("ls", [], { persona: "nobody" })))
    expect(error._tag).toBe("PersonaNotFound")
  })
})
