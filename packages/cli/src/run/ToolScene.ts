/** For whom, where and how far: what every question about tools depends on, from flags and settings. */
import type { Permission } from "@cow/core"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { Configuration } from "../settings/Configuration.ts"
import * as PermissionChoice from "../settings/PermissionChoice.ts"
import * as RunSetup from "./RunSetup.ts"
import type { WaitFlags } from "./ServerWait.ts"

export interface ToolFlags extends WaitFlags {
  readonly persona: string
  readonly permission: Option.Option<Permission.PermissionMode>
  readonly json: boolean
}

export const make = Effect.fnUntraced(function* (flags: Pick<ToolFlags, "persona" | "permission">) {
  const { workspace } = yield* Configuration
  const persona = yield* RunSetup.knownPersona(flags.persona)
  return { persona, permission: yield* PermissionChoice.choose(flags.permission), workspace }
})
