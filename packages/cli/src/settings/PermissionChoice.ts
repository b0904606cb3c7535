/** How far this command may go without asking: `--permission`, else the settings. */
import { Permission } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Configuration } from "./Configuration.ts"

/** An unknown word in the settings acts as `read-only`, with a warning. */
export const choose = Effect.fnUntraced(function* (flag: Option.Option<Permission.PermissionMode>) {
  if (Option.isSome(flag)) return flag.value
  const word = (yield* Configuration).settings.agent_permission_mode
  const { known, mode } = Permission.parse(word)
  if (!known)
    yield* Effect.logWarning(
      `agent_permission_mode "${word}" is unknown and acts as read-only; there are ${Permission.PermissionMode.literals.join(", ")}`
    )
  return mode
})
