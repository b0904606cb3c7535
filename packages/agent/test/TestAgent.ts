/** An agent over memory stores, a scripted model and a few tools, with every event it published. */
import {
  type AgentEvent,
  Approver,
  Events,
  PromptSections,
  type RunRequest,
  RunStore,
  SessionStore,
  SkillCatalog,
  Tool,
  ToolGate,
  ToolManager,
  ToolResult,
  ToolSelector,
  ToolServers,
  UnknownToolAdvice
} from "@cow/core"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { Agent, SchemaValidatorAjv } from "../src/index.ts"
import * as ScriptedModel from "./ScriptedModel.ts"

export type Layers = Partial<{
  gate: Layer.Layer<ToolGate>
  selector: Layer.Layer<ToolSelector>
  approver: Layer.Layer<Approver>
  servers: Layer.Layer<ToolServers>
  skills: Layer.Layer<SkillCatalog>
  sessions: Layer.Layer<SessionStore>
  runs: Layer.Layer<RunStore>
}>

/** One more agent, as of another process, with a registry of its own; time is whose it is built by. */
export const bare = (given: Layers = {}) =>
  Agent.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        ToolManager.layer,
        given.gate ?? ToolGate.layerPermission,
        given.selector ?? ToolSelector.layerAll,
        given.approver ?? Approver.layerUnattended,
        given.servers ?? ToolServers.layerNone,
        PromptSections.layer,
        UnknownToolAdvice.layer,
        given.sessions ?? SessionStore.layerMemory,
        given.runs ?? RunStore.layerMemory,
        ScriptedModel.layer,
        Events.layer,
        given.skills ?? SkillCatalog.layerNone,
        SchemaValidatorAjv.layer,
        BunServices.layer
      )
    )
  )

export const layer = (given: Layers = {}) => bare(given).pipe(Layer.provideMerge(TestClock.layer()))

export type Services = Layer.Success<ReturnType<typeof layer>>

/** Runs an effect against an agent of its own, with live scopes closed at the end. */
export const test = <A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>, given?: Layers): Promise<A> =>
  Effect.runPromise(Effect.scoped(effect).pipe(Effect.provide(layer(given))) as Effect.Effect<A, E>)

/** Collects events from now on. */
export const collect = Effect.gen(function* () {
  const all: Array<AgentEvent.AgentEvent> = []
  const events = yield* Events
  yield* events.addSink((_, event) => Effect.sync(() => void all.push(event)))
  return all
})

export const request = (
  scripted: ScriptedModel.ScriptedModel,
  more: Partial<RunRequest> = {}
): RunRequest => ({
  prompt: "go",
  model: scripted.model.id,
  persona: "default",
  permission: "full-access",
  workspace: "/nowhere",
  maxSteps: 30,
  ...more
})

const schema = { type: "object", properties: { text: { type: "string" } } }

export const tool = (
  name: string,
  run: Tool.Tool["run"] = (input) => Effect.succeed(ToolResult.ok(`${name}:${String(input.text ?? "")}`)),
  more: Partial<Parameters<typeof Tool.make>[0]> = {}
): Tool.Tool => Tool.make({ name, description: `The ${name} tool`, inputSchema: schema, run, ...more })

export const register = (...tools: ReadonlyArray<Tool.Tool>) =>
  Effect.flatMap(ToolManager, (manager) => manager.register({ _tag: "Builtin" }, tools))

/** One run with these tools: its outcome, its events, the session's messages afterwards. */
export const runOnce = (
  scripted: ScriptedModel.ScriptedModel,
  tools: ReadonlyArray<Tool.Tool> = [],
  more: Partial<RunRequest> = {}
) =>
  Effect.gen(function* () {
    yield* register(...tools)
    const events = yield* collect
    const agent = yield* Agent
    const outcome = yield* agent.run(request(scripted, { sessionId: "s1", ...more }))
    const messages = yield* (yield* SessionStore).messages("s1")
    return { outcome, events, messages }
  })

export const ofType = <T extends AgentEvent.AgentEvent["type"]>(
  events: ReadonlyArray<AgentEvent.AgentEvent>,
  type: T
) => events.filter((event): event is AgentEvent.AgentEventOf<T> => event.type === type)
