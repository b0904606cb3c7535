/**
 * All servers of a process: one supervised fiber each, and the difference between what runs and what is
 * configured. Applying a configuration waits for no server.
 *
 * What one server does is `ServerRuntime`; where configurations come from is `ConfigSource`.
 */
import type { ToolResult } from "@cow/core"
import { CanonicalJson, ToolResult as Results } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Configuration } from "../config/ConfigSource.ts"
import * as McpConfig from "../config/McpConfig.ts"
import { maxStartingServers } from "../config/McpSettings.ts"
import type { ServerEntry } from "../config/ServerEntry.ts"
import * as Launch from "../process/Launch.ts"
import type { ExtraServer } from "../server/ExtraTools.ts"
import * as ServerExtras from "../server/ServerExtras.ts"
import * as ServerRuntime from "../server/ServerRuntime.ts"
import * as ServerSupervisor from "../server/ServerSupervisor.ts"
import type { ServerTools } from "../server/ServerTools.ts"
import * as ServerTable from "./ServerTable.ts"

/** What a configured server should be doing. */
type Plan =
  | { readonly _tag: "Rest"; readonly standing: ServerTable.Standing }
  | { readonly _tag: "Run"; readonly key: string; readonly origin: string; readonly entry: ServerEntry }

/** One name, from its start to its end. */
interface Member {
  configured: McpConfig.ConfiguredServer
  plan: Plan
  readonly generation: number
  readonly runtime: ServerRuntime.ServerRuntime | undefined
  /** What it was started with, variables filled in. */
  readonly launchKey: string
  notes: Pick<ServerTools, "leftOut" | "warnings">
}

export interface ServerFleet {
  readonly table: ServerTable.ServerTable
  readonly apply: (configuration: Configuration, restart?: (name: string) => boolean) => Effect.Effect<void>
  /** Of each server, by name: the tools that are left out, and warnings about its list and patterns. */
  readonly notes: Effect.Effect<ReadonlyMap<string, Pick<ServerTools, "leftOut" | "warnings">>>
  /** What each server that is ready offers beside tools. */
  readonly extras: SubscriptionRef.SubscriptionRef<ReadonlyMap<string, ServerExtras.Extras>>
  /** Those servers, as they are when a model asks. */
  readonly extraServers: Effect.Effect<ReadonlyArray<ExtraServer>>
  /** True when its variables now have other values than when it was started. */
  readonly isOutdated: (name: string) => boolean
}

const replaced = "its tools are offered anew, and this one was the earlier one's"

const planOf = (configured: McpConfig.ConfiguredServer, untrusted: ReadonlySet<string>): Plan => {
  const { entry, name } = configured
  if (untrusted.has(name)) return { _tag: "Rest", standing: ServerTable.idle("untrusted") }
  if (Result.isFailure(entry)) return { _tag: "Rest", standing: ServerTable.idle("failed", entry.failure) }
  if (!entry.success.enabled) return { _tag: "Rest", standing: ServerTable.idle("disabled") }
  return {
    _tag: "Run",
    key: McpConfig.startKey(entry.success),
    origin: McpConfig.originOf(entry.success),
    entry: entry.success
  }
}

const sameWork = (before: Plan, after: Plan): boolean =>
  before._tag === "Run" ? after._tag === "Run" && before.key === after.key : after._tag === "Rest"

/** @param begin waited for before the server of this name is started */
export const make = (
  host: ServerRuntime.RuntimeHost,
  begin: (name: string) => Effect.Effect<void>
): Effect.Effect<ServerFleet, never, Scope.Scope> =>
  Effect.gen(function* () {
    const table = yield* ServerTable.make
    const fibers = yield* FiberMap.make<string, never, never>()
    const permits = yield* Semaphore.make(maxStartingServers)
    const members = new Map<string, Member>()
    const extras = yield* SubscriptionRef.make<ReadonlyMap<string, ServerExtras.Extras>>(new Map())
    let generations = 0

    const launchKeyOf = (plan: Plan): string =>
      plan._tag === "Rest"
        ? ""
        : Result.match(
            Launch.make(plan.entry.transport, (variable) => host.settings.env[variable]),
            {
              onFailure: (reason) => reason,
              onSuccess: ({ transport }) => CanonicalJson.stringify(transport)
            }
          )

    const runtimeOf = (
      name: string,
      plan: Plan,
      generation: number
    ): ServerRuntime.ServerRuntime | undefined => {
      if (plan._tag === "Rest") return undefined
      const { entry } = plan
      const view: ServerRuntime.RuntimeView = {
        name,
        entry: () => {
          const now = members.get(name)
          return now?.generation === generation && now.plan._tag === "Run" ? now.plan.entry : entry
        },
        servers: () => [...members.keys()],
        standing: () => {
          const row = SubscriptionRef.getUnsafe(table).get(name)
          return row === undefined
            ? "it was removed"
            : `it is ${row.state}${row.error === null ? "" : `: ${row.error}`}`
        },
        rested: SubscriptionRef.update(table, (rows) => {
          const row = rows.get(name)
          return row?.state === "ready" && row.generation === generation && !row.atRest
            ? new Map(rows).set(name, { ...row, atRest: true })
            : rows
        }),
        offered: (offer) =>
          SubscriptionRef.update(extras, (all) => {
            if (members.get(name)?.generation !== generation && offer !== ServerExtras.none) return all
            const next = new Map(all)
            if (offer.prompts || offer.resources) next.set(name, offer)
            else next.delete(name)
            return next.size === 0 && all.size === 0 ? all : next
          }),
        published: (tools, count) =>
          Effect.suspend(() => {
            const now = members.get(name)
            if (now?.generation !== generation) return Effect.void
            now.notes = { leftOut: tools.leftOut, warnings: tools.warnings }
            return SubscriptionRef.update(table, (rows) => {
              const row = rows.get(name)
              return row?.state === "ready" && row.generation === generation && row.tools !== count
                ? new Map(rows).set(name, { ...row, tools: count })
                : rows
            })
          })
      }
      const { origin } = plan
      // By name, so that a tool from an older table finds the connection of today; but not another program's.
      return ServerRuntime.make(host, view, (tool, input) =>
        Effect.suspend((): Effect.Effect<ToolResult.ToolResult> => {
          const now = members.get(name)
          if (now?.runtime === undefined || now.plan._tag === "Rest")
            return Effect.succeed(Results.failed(`MCP server "${name}" is not ready: ${view.standing()}`))
          return now.plan.origin === origin
            ? now.runtime.call(tool, input)
            : Effect.succeed(Results.failed(`MCP server "${name}" is another one now: ${replaced}`))
        })
      )
    }

    /** Ends what runs under the name, without waiting for the end. */
    const stop = (name: string): Fiber.Fiber<never> | undefined => {
      const fiber = Option.getOrUndefined(FiberMap.getUnsafe(fibers, name))
      fiber?.interruptUnsafe()
      return fiber
    }

    const start = (configured: McpConfig.ConfiguredServer, plan: Plan): Effect.Effect<void> =>
      Effect.suspend(() => {
        const { name } = configured
        const generation = ++generations
        const before = stop(name)
        const runtime = runtimeOf(name, plan, generation)
        members.set(name, {
          configured,
          plan,
          generation,
          runtime,
          launchKey: launchKeyOf(plan),
          notes: { leftOut: [], warnings: [] }
        })
        const standing = plan._tag === "Rest" ? plan.standing : ServerTable.idle("pending")
        const shown = SubscriptionRef.update(table, (rows) =>
          new Map(rows).set(name, { configured, generation, ...standing })
        )
        if (plan._tag === "Rest" || runtime === undefined) return shown
        const supervised = ServerSupervisor.run({
          connectTimeoutSeconds: ServerRuntime.connectTimeoutOf(plan.entry, host.settings),
          begin: begin(name),
          permits,
          connect: runtime.connect,
          publish: runtime.publish,
          report: (now) => ServerTable.report(table, name, generation, now),
          clean: runtime.clean
        })
        // One process a server: the earlier one is gone before the next starts.
        const waited = before === undefined ? Effect.void : Effect.uninterruptible(Fiber.await(before))
        return Effect.andThen(shown, FiberMap.run(fibers, name, Effect.andThen(waited, supervised)))
      })

    const remove = (name: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        stop(name)
        members.delete(name)
        return SubscriptionRef.update(table, (rows) => {
          const next = new Map(rows)
          next.delete(name)
          return next
        })
      })

    const keep = (member: Member, configured: McpConfig.ConfiguredServer, plan: Plan): Effect.Effect<void> =>
      Effect.suspend(() => {
        member.configured = configured
        member.plan = plan
        return SubscriptionRef.update(table, (rows) => {
          const row = rows.get(configured.name)
          const standing = plan._tag === "Rest" ? plan.standing : {}
          return row === undefined
            ? rows
            : new Map(rows).set(configured.name, { ...row, configured, ...standing })
        })
      })

    const apply: ServerFleet["apply"] = (configuration, restart = () => false) =>
      Effect.gen(function* () {
        const wanted = new Map(configuration.servers.map((server) => [server.name, server]))
        for (const name of [...members.keys()]) if (!wanted.has(name)) yield* remove(name)
        const started: Array<Effect.Effect<void>> = []
        for (const [name, configured] of wanted) {
          const plan = planOf(configured, configuration.untrusted)
          const member = members.get(name)
          if (member !== undefined && sameWork(member.plan, plan) && !(plan._tag === "Run" && restart(name)))
            yield* keep(member, configured, plan)
          else started.push(start(configured, plan))
        }
        for (const one of started) yield* one
        // Who may see which tool, and what names are free, may have changed without a restart.
        for (const { runtime } of members.values()) if (runtime !== undefined) yield* runtime.republish
      }).pipe(Effect.uninterruptible)

    const extraServers = Effect.sync(() =>
      [...SubscriptionRef.getUnsafe(extras)].flatMap(([name, offer]): ReadonlyArray<ExtraServer> => {
        const member = members.get(name)
        if (member?.runtime === undefined || member.plan._tag === "Rest") return []
        return [{ name, audience: member.plan.entry.audience, extras: offer, ask: member.runtime.ask }]
      })
    )
    return {
      table,
      extras,
      extraServers,
      apply,
      notes: Effect.sync(() => new Map([...members].map(([name, { notes }]) => [name, notes]))),
      isOutdated: (name) => {
        const member = members.get(name)
        return member !== undefined && member.launchKey !== launchKeyOf(member.plan)
      }
    }
  })
