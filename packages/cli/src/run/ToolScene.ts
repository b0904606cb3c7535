/** For whom, where and how far: what every question about tools depends on, from flags and settings. */
import { McpToolName, type Permission, SkillCatalog, ToolManager, ToolServers } from "@cow/core"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { noSuch } from "../command/NoSuch.ts"
import { Configuration } from "../settings/Configuration.ts"
import * as PermissionChoice from "../settings/PermissionChoice.ts"
import * as RunSetup from "./RunSetup.ts"
import type { WaitFlags } from "./ServerWait.ts"

export interface ToolFlags extends WaitFlags {
  readonly persona: string
  readonly permission: Option.Option<Permission.PermissionMode>
  readonly json: boolean
}

/**
 * Nobody has a thing of that name: it is no tool, no skill, and no server that is not up could bring it. Fails with
 * exit 42 and the names that were perhaps meant.
 */
export const noTool = Effect.fnUntraced(function* (name: string, persona: string) {
  const { workspace } = yield* Configuration
  const { byName } = yield* Effect.flatMap(ToolManager, (manager) => manager.snapshot)
  const servers = yield* Effect.flatMap(ToolServers, (port) => port.list)
  const skills = yield* Effect.flatMap(SkillCatalog, (catalog) => catalog.cards(persona, workspace))
  const mayCome = servers.some(
    (server) => server.state !== "ready" && McpToolName.mayBelongTo(server.name, name)
  )
  if (byName.has(name) || mayCome || skills.some((skill) => skill.name === name)) return
  return yield* noSuch("tool", name, byName.keys())
})

export const make = Effect.fnUntraced(function* (flags: Pick<ToolFlags, "persona" | "permission">) {
  const { workspace } = yield* Configuration
  const persona = yield* RunSetup.knownPersona(flags.persona)
  return { persona, permission: yield* PermissionChoice.choose(flags.permission), workspace }
})
