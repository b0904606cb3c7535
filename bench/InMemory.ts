/** An agent over memory stores for measurements: no CLI, no disk, the gate and the selector that users have. */
import { Agent, SchemaValidatorAjv } from "@cow/agent"
import {
  Approver,
  Audience,
  Events,
  Models,
  PromptSections,
  RunStore,
  SessionStore,
  SkillCatalog,
  Tool,
  ToolManager,
  ToolResult,
  ToolSelector,
  ToolServers,
  UnknownToolAdvice
} from "@cow/core"
import { PolicyGate } from "@cow/policy"
import { LexicalIndex, RetrievalSelector, SelectionQuery, ToolIndex } from "@cow/retrieval"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const verbs = ["create", "list", "delete", "update", "search", "export", "import", "merge", "close", "open"]
const nouns = ["issue", "invoice", "ticket", "branch", "page", "record", "contact", "event", "file", "report"]
const perServer = 500

/** Tools of several servers, as `mcp__server0__create_issue_0`. */
export const makeTools = (count: number): ReadonlyArray<Tool.Tool> =>
  Array.from({ length: count }, (_, at) => {
    const server = `server${Math.floor(at / perServer)}`
    const words = `${verbs[at % 10]} ${nouns[Math.floor(at / 10) % 10]}`
    return Tool.make({
      name: `mcp__${server}__${words.replace(" ", "_")}_${at}`,
      description: `${words} number ${at} of the shared workspace, with its comments and labels`,
      inputSchema: { type: "object", properties: { id: { type: "string" }, note: { type: "string" } } },
      spec: { server, specialist: "mcp_worker", tool: words },
      run: () => Effect.succeed(ToolResult.ok("done"))
    })
  })

const serversOf = (tools: ReadonlyArray<Tool.Tool>) =>
  Layer.succeed(ToolServers, {
    list: Effect.succeed(
      [...new Set(tools.map(({ spec }) => spec.server))].map((name) => ({
        name,
        state: "ready" as const,
        error: null,
        toolCount: perServer,
        audience: Audience.everyone
      }))
    ),
    changes: Stream.empty,
    refresh: Effect.void,
    begin: Effect.void
  })

export type Selector = Layer.Layer<ToolSelector>

/** What users have: every tool is sent. */
export const all: Selector = RetrievalSelector.layer({ enabled: true, threshold: 20, topK: 10 })

/** The ten tools that the last messages' words lead to, and what is not an MCP tool. */
export const byWords: Selector = Layer.succeed(ToolSelector, {
  select: ({ kept, messages, visible }) =>
    Effect.sync(() => {
      const hits = LexicalIndex.search(ToolIndex.of(visible), SelectionQuery.build(messages), 10)
      const chosen = hits.map(({ id }) => id)
      const names = new Set(["tick", ...kept, ...chosen])
      return { mode: "selected", reason: "words", names, chosen }
    })
})

export const layer = (tools: ReadonlyArray<Tool.Tool>, selector = all) =>
  Agent.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(PolicyGate.layer, selector)),
    Layer.provideMerge(
      Layer.mergeAll(
        Approver.layerUnattended,
        Events.layer,
        Models.layer,
        PromptSections.layer,
        RunStore.layerMemory,
        SchemaValidatorAjv.layer,
        SessionStore.layerMemory,
        SkillCatalog.layerNone,
        ToolManager.layer,
        UnknownToolAdvice.layer,
        BunServices.layer,
        serversOf(tools)
      )
    )
  )

/** Registers each server's tools as that server's. */
export const register = (tools: ReadonlyArray<Tool.Tool>) =>
  Effect.gen(function* () {
    const manager = yield* ToolManager
    for (const server of new Set(tools.map(({ spec }) => spec.server)))
      yield* manager.register(
        { _tag: "Mcp", server },
        tools.filter(({ spec }) => spec.server === server)
      )
  })
