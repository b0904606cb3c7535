/** A server taken away and put back under its name while an agent runs: the second one starts with nothing of the first. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { Agent, SchemaValidatorAjv } from "@cow/agent"
import {
  Approver,
  Audience,
  Events,
  PromptSections,
  RunStore,
  SessionStore,
  SkillCatalog,
  ToolManager,
  ToolResult,
  ToolSelector,
  UnknownToolAdvice
} from "@cow/core"
import { defaultTimeouts, McpConfigFile, McpManager } from "@cow/mcp"
import { PolicyGate } from "@cow/policy"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ScriptedModel from "../../packages/agent/test/ScriptedModel.ts"
import * as TestAgent from "../../packages/agent/test/TestAgent.ts"

setDefaultTimeout(60_000)

const program = path.join(import.meta.dir, "../../packages/mcp/test/fixtures/raw-server.mjs")
let home: string
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), "cow-replaced-"))
})
afterEach(() => fs.rmSync(home, { recursive: true, force: true }))

type Which = "first" | "second"
const changing = { name: "change", description: "", inputSchema: { type: "object", properties: {} } }
/** Two programs with the same tools: `pid` only reads, `change` is asked about. */
const entry = (which: Which) => ({
  command: process.execPath,
  args: [program, JSON.stringify({ tools: ["pid", changing], log: path.join(home, which) })]
})
const everybody = { allowed_persona_ids: ["*"] }
const write = (servers: object) =>
  fs.writeFileSync(path.join(home, "mcp.json"), JSON.stringify({ mcpServers: servers }))
const calls = (which: Which): number => {
  const file = path.join(home, which)
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split('"event":"tools/call"').length - 1 : 0
}

/** As the API saves: through the file, whose entry is made anew. */
const replace = (which: Which, audience: Audience.Audience) =>
  Effect.flatMap(McpConfigFile, (file) =>
    Effect.andThen(file.remove("x"), file.add("x", entry(which), audience))
  ).pipe(
    Effect.provide(McpConfigFile.layer({ cowHome: home }).pipe(Layer.provide(BunServices.layer))),
    Effect.orDie
  )
const replaceByHand = (which: Which, ids: ReadonlyArray<string>) =>
  Effect.sync(() => {
    write({})
    write({ x: { ...entry(which), allowed_persona_ids: ids } })
  })

const layer = () =>
  Agent.layer.pipe(
    Layer.provideMerge(PolicyGate.layer),
    Layer.provideMerge(
      McpManager.layer({
        cowHome: home,
        home,
        workspace: home,
        env: process.env,
        projectTrusted: false,
        allowArbitraryStdio: false,
        ...defaultTimeouts
      })
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        ToolManager.layer,
        ToolSelector.layerAll,
        Approver.layerUnattended,
        PromptSections.layer,
        UnknownToolAdvice.layer,
        SessionStore.layerMemory,
        RunStore.layerMemory,
        ScriptedModel.layer,
        Events.layer,
        SkillCatalog.layerNone,
        SchemaValidatorAjv.layer
      )
    ),
    Layer.provideMerge(BunServices.layer)
  )
const run = <A, E>(effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof layer>>>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layer()))

const ready = Effect.flatMap(McpManager, (manager) => manager.waitSettled(20, ["x"]))
const toolsOf = (scripted: ScriptedModel.ScriptedModel, at: number) =>
  (scripted.requests[at]?.tools ?? []).map(({ name }) => name).filter((name) => name.startsWith("mcp__"))
const resultsOf = (scripted: ScriptedModel.ScriptedModel, at: number) =>
  ScriptedModel.newResults(scripted.requests[at]).map(ScriptedModel.resultText)

const pid = { name: "mcp__x__pid" }
const nobody = Audience.only([])

describe("a server saved anew for nobody while a model answers", () => {
  const ways: ReadonlyArray<readonly [string, (which: Which) => Effect.Effect<void>]> = [
    ["by the API", (which) => replace(which, nobody)],
    ["by hand", (which) => replaceByHand(which, [])]
  ]
  for (const [how, way] of ways)
    for (const which of ["first", "second"] as const)
      test(`${how}, ${which === "first" ? "the same" : "another"} program: its tool is neither called nor sent`, () => {
        write({ x: { ...entry("first"), ...everybody } })
        const scripted = ScriptedModel.make([
          { calls: [pid] },
          { calls: [pid], pause: way(which) },
          { calls: [pid] },
          { text: "done" }
        ])
        return run(
          Effect.gen(function* () {
            yield* ready
            yield* (yield* Agent).run(TestAgent.request(scripted, { workspace: home }))
            expect(toolsOf(scripted, 1)).toContain("mcp__x__pid")
            expect(resultsOf(scripted, 1)).toEqual([expect.stringMatching(/^\d+$/)])
            expect(resultsOf(scripted, 2)).toEqual([expect.stringContaining('"status":"denied"')])
            expect(toolsOf(scripted, 2)).toEqual([])
            expect(resultsOf(scripted, 3)).toEqual([expect.not.stringMatching(/^\d+$/)])
            yield* ready
            expect([calls("first"), calls("second")]).toEqual([1, 0])
          })
        )
      })

  test("also between two calls of one answer", () => {
    write({ x: { ...entry("first"), ...everybody } })
    const scripted = ScriptedModel.make([{ calls: [pid, { name: "swap" }, pid] }, { text: "done" }])
    return run(
      Effect.scoped(
        Effect.gen(function* () {
          yield* ready
          const swapped = Effect.as(replace("first", nobody), ToolResult.ok("swapped"))
          yield* TestAgent.register(TestAgent.tool("swap", () => swapped))
          yield* (yield* Agent).run(TestAgent.request(scripted, { workspace: home }))
          expect(resultsOf(scripted, 1)).toEqual([
            expect.stringMatching(/^\d+$/),
            "swapped",
            expect.stringContaining("not_granted")
          ])
          expect(calls("first")).toBe(1)
        })
      )
    )
  })
})

describe("another program behind the name, granted as the first was", () => {
  test("is not called with what was offered as the first's tool, and is with what it offers itself", () => {
    write({ x: { ...entry("first"), ...everybody } })
    const scripted = ScriptedModel.make([
      {
        calls: [pid],
        pause: Effect.andThen(
          replaceByHand("second", ["*"]),
          // Longer than it takes to start the other one, and the step still holds the first one's tools.
          Effect.sleep("3 seconds")
        )
      },
      { calls: [pid] },
      { text: "done" }
    ])
    return run(
      Effect.gen(function* () {
        yield* ready
        yield* (yield* Agent).run(TestAgent.request(scripted, { workspace: home }))
        expect(resultsOf(scripted, 1)).toEqual([expect.stringContaining("another")])
        expect(resultsOf(scripted, 2)).toEqual([expect.stringMatching(/^\d+$/)])
        expect([calls("first"), calls("second")]).toEqual([0, 1])
      })
    )
  })

  test("gets no call that was approved for the first: it is asked about again", () => {
    write({ x: { ...entry("first"), ...everybody } })
    const scripted = ScriptedModel.make([{ calls: [{ name: "mcp__x__change" }] }, { text: "done" }])
    const asked = TestAgent.request(scripted, { workspace: home, permission: "workspace-write" })
    return run(
      Effect.gen(function* () {
        yield* ready
        const agent = yield* Agent
        const { finished } = yield* agent.run(asked)
        expect(finished.status).toBe("waiting_approval")
        yield* replace("second", Audience.everyone)
        yield* Effect.flatMap(McpManager, (manager) => manager.reload())
        yield* ready
        const approve = agent.resume(finished.run_id, { _tag: "Approved" })
        expect((yield* approve).finished.status).toBe("waiting_approval")
        expect([calls("first"), calls("second")]).toEqual([0, 0])
        // Asked about the second one, the same answer counts for it.
        expect((yield* approve).finished.status).toBe("completed")
        expect([calls("first"), calls("second")]).toEqual([0, 1])
      })
    )
  })
})
