/**
 * Waiting for servers that are still starting: a little before a run's first request, longer when a tool of one is
 * called or named. Whoever failed, needs a login, is switched off or not trusted is not waited for.
 *
 * Every wait ends with the cancel of the run, and is told as `mcp_status` events of the servers it is for. Which
 * servers a command requires is the CLI's.
 */
import {
  type AgentEvent,
  Audience,
  Guest,
  McpToolName,
  type ServerStatus,
  Tool,
  ToolServers,
  type ToolTable
} from "@cow/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as AgentLimits from "../AgentLimits.ts"
import type { RunScene } from "../run/RunScene.ts"
import * as RunServers from "./RunServers.ts"
import * as RunTools from "./RunTools.ts"

/** Between two looks. */
const pause: Duration.Input = "20 millis"

/** A wait that is over before is not told. */
const quiet: Duration.Input = "200 millis"

/** Those that may bring tools for this run yet. */
const starting = Effect.fnUntraced(function* ({ request }: RunScene) {
  if (request.restricted === true) return []
  return (yield* RunServers.list).filter(
    ({ audience, state }) =>
      (state === "pending" || state === "starting") && Audience.includes(audience, request.persona)
  )
})

const statusOf = ({ error, name, state, toolCount }: ServerStatus): AgentEvent.AgentEvent => ({
  type: "mcp_status",
  server: name,
  status: state,
  error,
  tools: toolCount
})

/** Gives whether it came true in time. */
const until = Effect.fnUntraced(function* <E, R>(
  scene: RunScene,
  isOver: Effect.Effect<boolean, E, R>,
  limit: Duration.Duration
) {
  const servers = yield* ToolServers
  const begun = yield* Guest.settle(() => servers.begin, limit)
  if (begun._tag !== "Given") yield* Effect.logWarning(`starting MCP servers ${Guest.describe(begun)}`)
  const tell = Effect.gen(function* () {
    yield* Effect.sleep(quiet)
    yield* Effect.forEach(yield* starting(scene), (server) => scene.emit(statusOf(server)), { discard: true })
    return yield* Effect.never
  })
  const look = Effect.repeat(Effect.delay(isOver, pause), { until: (over) => over })
  yield* Effect.timeoutOption(Effect.raceFirst(look, tell), limit)
})

const withoutOneOf = (servers: ReadonlyArray<ServerStatus>, scene: RunScene) => {
  const names = new Set(servers.map(({ name }) => name))
  return Effect.map(starting(scene), (now) => now.every(({ name }) => !names.has(name)))
}

/** Servers of whose tools one is named in the message, as models name them. */
const namedIn = (prompt: string, servers: ReadonlyArray<ServerStatus>) =>
  servers.filter(({ name }) => prompt.includes(`mcp__${McpToolName.clean(name)}__`))

/** Before the first request of a run with this message. */
export const beforeFirst = Effect.fn("ServerWait.beforeFirst")(function* (scene: RunScene, prompt: string) {
  const { request, sessionId, seenTools } = scene
  const millis = yield* AgentLimits.serverStartMillis
  const slow = yield* starting(scene)
  if (slow.length === 0 || millis <= 0) return
  const seconds = yield* AgentLimits.serverCallSeconds
  const isMissing = Effect.map(
    RunTools.table(scene),
    ({ tools }) =>
      request.model.misses?.(
        prompt,
        tools.map(({ tool }) => Tool.definition(tool))
      ) === true
  )
  const named = namedIn(prompt, slow)
  if (named.length > 0) yield* until(scene, withoutOneOf(named, scene), Duration.seconds(seconds))
  else if (yield* isMissing) {
    const isThere = Effect.map(isMissing, (missing) => !missing)
    const isOver = Effect.flatMap(isThere, (there) =>
      there ? Effect.succeed(true) : withoutOneOf(slow, scene)
    )
    yield* until(scene, isOver, Duration.seconds(seconds))
  }
  // A session waits once for each: what takes minutes must not delay every message.
  const before = yield* seenTools.get(sessionId)
  const fresh = slow.filter(({ name }) => !before.awaited.has(name))
  if (fresh.length === 0) return
  yield* until(scene, withoutOneOf(fresh, scene), Duration.millis(millis))
  const awaited = new Set([...before.awaited, ...fresh.map(({ name }) => name)])
  yield* seenTools.set(sessionId, { ...before, awaited })
})

/** The table to resolve these calls against: another one when a server brought what was called for in the meantime. */
export const forCalls = Effect.fn("ServerWait.forCalls")(function* (
  scene: RunScene,
  table: ToolTable.ToolTable,
  names: ReadonlyArray<string>
) {
  const missing = names.filter((name) => name.startsWith("mcp__") && !table.byName.has(name))
  const seconds = yield* AgentLimits.serverCallSeconds
  if (missing.length === 0 || seconds <= 0) return table
  const slow = (yield* starting(scene)).filter(({ name }) =>
    missing.some((tool) => McpToolName.mayBelongTo(name, tool))
  )
  if (slow.length > 0) yield* until(scene, withoutOneOf(slow, scene), Duration.seconds(seconds))
  return yield* RunTools.table(scene)
})
