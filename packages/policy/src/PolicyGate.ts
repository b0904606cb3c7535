/**
 * The layer of core's `ToolGate` that knows servers and grants. Gathers the facts as they are at this moment and
 * hands them to `Decide`, so a grant taken away counts from the next call on. A server's status is a value: the
 * same object means that nothing changed.
 */
import {
  type Decision,
  type GateAsker,
  type GateRequest,
  Permission,
  PermissionPolicy,
  type ServerStatus,
  ToolGate,
  ToolServers,
  type ToolTable,
  UsableTools
} from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { decide } from "./Decide.ts"

const modes = Permission.PermissionMode.literals

/** The strictest mode that would not deny the call. Null where every mode does. */
const laxerMode = Effect.fnUntraced(function* (request: GateRequest) {
  for (const permission of modes) {
    const verdict = yield* PermissionPolicy.check({ ...request, permission })
    if (verdict._tag !== "Deny") return permission
  }
  return null
})

/** Whether the whole decision follows from the spec, the server's status, persona and mode. */
const isSettled = ({ registered }: GateRequest): boolean => registered.tool.effectOf === undefined

interface Remembered {
  readonly server: ServerStatus | null
  readonly persona: string
  readonly permission: Permission.PermissionMode
  readonly decision: Decision
}

export const layer: Layer.Layer<ToolGate, never, ToolServers> = Layer.effect(
  ToolGate,
  Effect.gen(function* () {
    const servers = yield* ToolServers

    // Asked for every tool in every step: a decision is taken again only if something it rests on is another one.
    const remembered = new WeakMap<ToolTable.RegisteredTool, Remembered>()

    const judge = Effect.fnUntraced(function* (request: GateRequest, server: ServerStatus | null) {
      const verdict = yield* PermissionPolicy.check(request)
      const laxer = verdict._tag === "Deny" ? yield* laxerMode(request) : null
      const { permission, persona, registered } = request
      const decision = decide({ persona, registered, server, rows: [], verdict, laxerMode: laxer })
      if (isSettled(request)) remembered.set(registered, { server, persona, permission, decision })
      return decision
    })

    /** The decision that was taken before, where everything it rests on is still the same. */
    const recall = (
      registered: ToolTable.RegisteredTool,
      { permission, persona }: GateAsker,
      server: ServerStatus | null
    ): Decision | undefined => {
      const last = remembered.get(registered)
      const same = last?.server === server && last.persona === persona && last.permission === permission
      return same ? last.decision : undefined
    }

    const withServer = (request: GateRequest, server: ServerStatus | null): Effect.Effect<Decision> => {
      const known = recall(request.registered, request, server)
      return known === undefined ? judge(request, server) : Effect.succeed(known)
    }

    const kept = UsableTools.make()

    const judgeAll = Effect.fnUntraced(function* (
      asker: GateAsker,
      tools: ReadonlyArray<ToolTable.RegisteredTool>,
      list: ReadonlyArray<ServerStatus>
    ) {
      const standing = new Map(list.map((server) => [server.name, server]))
      const out: Array<ToolTable.RegisteredTool> = []
      for (const registered of tools) {
        const { source } = registered
        const server = source._tag === "Mcp" ? (standing.get(source.server) ?? null) : null
        const decision = recall(registered, asker, server) ?? (yield* judge({ ...asker, registered }, server))
        if (decision._tag !== "Deny") out.push(registered)
      }
      return out
    })

    return ToolGate.of({
      usable: (asker, tools) =>
        Effect.flatMap(servers.list, (list) => kept(asker, tools, list, judgeAll(asker, tools, list))),
      decide: (request) => {
        const { source } = request.registered
        return source._tag === "Mcp"
          ? Effect.flatMap(servers.list, (list) =>
              withServer(request, list.find(({ name }) => name === source.server) ?? null)
            )
          : withServer(request, null)
      }
    })
  })
)
