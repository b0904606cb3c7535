/**
 * Everything a run is made of, put together with the settings of this command. Which servers bring tools is
 * `ServerLayers`; who is asked for approval is the command's.
 */
import { Agent, AgentLimits, AgentPrompt, DelegateTool } from "@cow/agent"
import {
  Events,
  Models,
  PromptSections,
  RunStore,
  type SchemaValidator,
  ToolManager,
  type ToolServers,
  UnknownToolAdvice
} from "@cow/core"
import { ModelProviders } from "@cow/models"
import { PolicyGate } from "@cow/policy"
import { SkillAdvice, SkillLibrary, SkillListing, SkillSearchTool, SkillSection } from "@cow/skills"
import { BuiltinTools } from "@cow/tools"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as CancelRequest from "../run/CancelRequest.ts"
import * as ReloadRequest from "../run/ReloadRequest.ts"
import { Configuration } from "../settings/Configuration.ts"
import { Environment } from "../settings/Environment.ts"
import * as ModelChoice from "../settings/ModelChoice.ts"
import { UserHome } from "../settings/UserHome.ts"
import * as App from "./App.ts"
import * as ServerLayers from "./ServerLayers.ts"

/** What `bash` gets: everything but keys. */
const programEnvironment = (variables: Environment["Service"]["variables"]) =>
  Object.fromEntries(
    Object.entries(variables).filter(([name]) => !ModelChoice.keyVariables.has(name) && name !== "COW_TOKEN")
  )

const builtinTools = Layer.unwrap(
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const { home, variables } = yield* Environment
    const { paths } = yield* UserHome
    return BuiltinTools.layer({
      home,
      cowHome: paths.folder,
      env: programEnvironment(variables),
      allowPrivateFetch: settings.web_fetch_allow_private,
      outputFolder: paths.results
    })
  })
)

const limits = Layer.unwrap(
  Effect.gen(function* () {
    const { settings } = yield* Configuration
    const { paths } = yield* UserHome
    return Layer.mergeAll(
      Layer.succeed(AgentLimits.contextTokens, settings.agent_max_context_tokens),
      Layer.succeed(SkillListing.contextTokens, settings.agent_max_context_tokens),
      Layer.succeed(AgentLimits.contextTurns, settings.agent_max_context_turns),
      Layer.succeed(AgentLimits.readToolSeconds, settings.mcp_read_timeout_seconds),
      Layer.succeed(AgentLimits.writeToolSeconds, settings.mcp_write_timeout_seconds),
      Layer.succeed(AgentLimits.maxRetryWaitSeconds, settings.agent_max_retry_wait_seconds),
      Layer.succeed(AgentLimits.resultFolder, paths.results)
    )
  })
)

const registries = Layer.mergeAll(
  ToolManager.layer,
  PromptSections.layer,
  UnknownToolAdvice.layer,
  Models.layer,
  Events.layer
)

const prompt = Layer.unwrap(Effect.map(Environment, ({ platform }) => AgentPrompt.layer({ platform })))

const toolsBeside = <A, E, R>(servers: Layer.Layer<A | ToolServers | SchemaValidator, E, R>) =>
  Layer.mergeAll(builtinTools, PolicyGate.layer, SkillLibrary.layerCatalog, SkillLibrary.layerTools).pipe(
    Layer.provideMerge(servers),
    Layer.provideMerge(registries),
    Layer.provideMerge(App.skills),
    Layer.provideMerge(App.personas),
    Layer.provideMerge(App.sessions)
  )

/**
 * Built-in tools, the servers' tools, and the gate before them: what `cow tools` and `cow mcp` need. A server starts only
 * when the command waits for it.
 */
export const tools = toolsBeside(ServerLayers.serversOnDemand)

/** The same without any MCP server. */
export const ownTools = toolsBeside(ServerLayers.none)

const sections = Layer.mergeAll(prompt, SkillSection.layer, SkillAdvice.layer, SkillSearchTool.layer)

const providers = Layer.unwrap(Effect.map(ModelChoice.settings, ModelProviders.layer))

/** The same and the models, for `cow doctor`. */
export const toolsAndModels = providers.pipe(Layer.provideMerge(tools))

/** Runs that a process died in are ended before this one works on any: else they would count as running for ever. */
const interruptedRuns = Layer.effectDiscard(
  Effect.flatMap(RunStore, (store) => store.endInterrupted).pipe(
    Effect.tap((ids) => Effect.forEach(ids, (id) => Effect.logInfo(`run ${id} was interrupted`))),
    Effect.catch(({ message }) => Effect.logWarning(`interrupted runs cannot be ended: ${message}`))
  )
)

/** `Agent` for single calls: no prompt, no provider. Needs an `Approver`. */
export const calls = Agent.layer.pipe(
  Layer.provideMerge(ServerLayers.selector),
  Layer.provideMerge(limits),
  Layer.provideMerge(tools)
)

/** The same without any MCP server: Cow's own tools. */
export const ownCalls = Agent.layer.pipe(
  Layer.provideMerge(ServerLayers.selector),
  Layer.provideMerge(limits),
  Layer.provideMerge(ownTools)
)

const around = Layer.mergeAll(
  sections,
  DelegateTool.layer,
  providers,
  ServerLayers.selector,
  ReloadRequest.layer,
  interruptedRuns
)

const cancellable = CancelRequest.layer.pipe(Layer.provide(Agent.layer))

/** `Agent` over all of it. Needs an `Approver`. */
export const agent = cancellable.pipe(
  Layer.provideMerge(around),
  Layer.provideMerge(limits),
  Layer.provideMerge(toolsBeside(ServerLayers.servers))
)

/** The same, and where the settings allow it servers may ask for calls of the model that this flag chooses. */
export const agentOf = (model: Option.Option<string>) =>
  cancellable.pipe(
    Layer.provideMerge(around),
    Layer.provideMerge(limits),
    Layer.provideMerge(toolsBeside(Layer.provide(ServerLayers.servers, ServerLayers.sampler(model))))
  )
