/**
 * How every server stands, as one value that can be watched. Who moves a server from state to state is
 * `ServerSupervisor`; which servers there are is `McpManager`.
 */
import type { ServerState, ServerStatus } from "@cow/core"
import { Audience } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { ConfiguredServer, ServerSource } from "../config/McpConfig.ts"
import * as ServerEntry from "../config/ServerEntry.ts"
import * as Redaction from "../server/Redaction.ts"

/** What changes while a server runs. */
export interface Standing {
  readonly state: ServerState
  readonly error: string | null
  readonly tools: number
  readonly protocol: string | null
  readonly pid: number | null
  /** True: nothing more will happen by itself. Of a server that is ready: it has been looked at a second time. */
  readonly atRest: boolean
}

export interface ServerRow extends Standing {
  readonly configured: ConfiguredServer
  /** Counts the starts of a name: reports of an earlier one are void. */
  readonly generation: number
}

export type Rows = ReadonlyMap<string, ServerRow>

/** One server as `cow mcp list --json` shows it. */
export interface ServerInfo {
  readonly name: string
  readonly transport: "stdio" | "http" | "sse" | "unknown"
  readonly status: ServerState
  readonly enabled: boolean
  readonly tools: number
  readonly error: string | null
  readonly protocol: string | null
  readonly pid: number | null
  readonly allowed_persona_ids: ReadonlyArray<string>
  /** Its command line or address as written, secrets masked. */
  readonly target: string
  readonly source: ServerSource
}

export const idle = (state: ServerState, error: string | null = null): Standing => ({
  state,
  error,
  tools: 0,
  protocol: null,
  pid: null,
  atRest: state !== "pending" && state !== "starting"
})

/** Nobody may use a server whose entry cannot be read. */
const audienceOf = ({ entry }: ConfiguredServer): Audience.Audience =>
  Result.isSuccess(entry) ? entry.success.audience : Audience.only([])

export const statusOf = ({ configured, state, error, tools }: ServerRow): ServerStatus => ({
  name: configured.name,
  state,
  error,
  toolCount: tools,
  audience: audienceOf(configured)
})

const sameStatus = (left: ServerStatus, right: ServerStatus): boolean =>
  left.state === right.state &&
  left.error === right.error &&
  left.toolCount === right.toolCount &&
  Audience.toIds(left.audience).join("\n") === Audience.toIds(right.audience).join("\n")

/**
 * How all stand, sorted by name. As long as nothing about a server changes its status is the same object, and the
 * list is while nothing about any does.
 */
export const statuses = (table: ServerTable): Effect.Effect<ReadonlyArray<ServerStatus>> => {
  let seen: Rows = new Map()
  let list: ReadonlyArray<ServerStatus> = []
  return Effect.sync(() => {
    const rows = SubscriptionRef.getUnsafe(table)
    if (rows === seen) return list
    seen = rows
    const known = new Map(list.map((status) => [status.name, status]))
    const next = sorted(rows).map((row) => {
      const status = statusOf(row)
      const before = known.get(status.name)
      return before !== undefined && sameStatus(before, status) ? before : status
    })
    const unchanged = next.length === list.length && next.every((status, at) => status === list[at])
    if (!unchanged) list = next
    return list
  })
}

export const infoOf = ({ configured, state, error, tools, protocol, pid }: ServerRow): ServerInfo => ({
  name: configured.name,
  transport: ServerEntry.transportName(configured.entry),
  status: state,
  enabled: Result.isFailure(configured.entry) || configured.entry.success.enabled,
  tools,
  error,
  protocol,
  pid,
  allowed_persona_ids: Audience.toIds(audienceOf(configured)),
  target: Redaction.target(configured.written),
  source: configured.source
})

export const sorted = (rows: Rows): ReadonlyArray<ServerRow> =>
  [...rows.values()].sort((left, right) => (left.configured.name < right.configured.name ? -1 : 1))

const differs = (before: ServerRow | undefined, after: ServerRow): boolean =>
  before === undefined ||
  before.state !== after.state ||
  before.error !== after.error ||
  before.tools !== after.tools

export type ServerTable = SubscriptionRef.SubscriptionRef<Rows>

export const make: Effect.Effect<ServerTable> = SubscriptionRef.make<Rows>(new Map())

/** Each server whose state, error or number of tools changes, from the moment of subscribing on. */
export const changes = (table: ServerTable): Stream.Stream<ServerStatus> =>
  SubscriptionRef.changes(table).pipe(
    Stream.mapAccum(
      (): Rows | undefined => undefined,
      (before, after) => [
        after,
        before === undefined
          ? []
          : sorted(after)
              .filter((row) => differs(before.get(row.configured.name), row))
              .map(statusOf)
      ]
    )
  )

/** Changes one server's row, unless a later start has taken its place. */
export const report = (
  table: ServerTable,
  name: string,
  generation: number,
  standing: Standing
): Effect.Effect<void> =>
  SubscriptionRef.update(table, (rows) => {
    const row = rows.get(name)
    return row?.generation === generation ? new Map(rows).set(name, { ...row, ...standing }) : rows
  })
