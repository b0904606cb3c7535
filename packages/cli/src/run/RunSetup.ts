/** What the flags and settings make of one run: its model, persona, mode, session and limits. */
import {
  type ModelNotFound,
  Models,
  type Permission,
  PersonaStore,
  type RunRequest,
  SessionStore
} from "@cow/core"
import { DefaultModel } from "@cow/models"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { badUsage, ExitCode, failed } from "../command/ExitCode.ts"
import { noSuch } from "../command/NoSuch.ts"
import { Configuration } from "../settings/Configuration.ts"
import * as ModelChoice from "../settings/ModelChoice.ts"
import * as PermissionChoice from "../settings/PermissionChoice.ts"
import * as Notices from "./Notices.ts"
import type { WaitFlags } from "./ServerWait.ts"

export interface RunFlags extends WaitFlags {
  readonly model: Option.Option<string>
  readonly persona: string
  readonly permission: Option.Option<Permission.PermissionMode>
  readonly session: Option.Option<string>
  readonly continue: boolean
  readonly wait: boolean
  readonly maxSteps: Option.Option<number>
  readonly output: "text" | "json"
}

/** A run without its prompt. */
export type RunSetup = Omit<RunRequest, "prompt">

const maxSessionIdChars = 200

/** Ids are shown in tables and typed in shells. */
const sessionIdOf = (id: string) =>
  id.trim() !== "" && id.length <= maxSessionIdChars && !/\p{Cc}/u.test(id)
    ? Effect.succeed(id)
    : Effect.fail(
        failed(
          `a session id has 1 to ${maxSessionIdChars} characters, none of them a control character`,
          ExitCode.badInput
        )
      )

const sessionOf = Effect.fnUntraced(function* (flags: RunFlags, workspace: string) {
  if (Option.isSome(flags.session)) {
    if (flags.continue) return yield* badUsage("cow run: --session and --continue exclude each other")
    return yield* sessionIdOf(flags.session.value)
  }
  if (!flags.continue) return undefined
  const [last] = (yield* (yield* SessionStore).list({ workspace, limit: 1 })).items
  if (last === undefined)
    return yield* failed(`there is no session of ${workspace} to continue`, ExitCode.badInput)
  return last.id
})

/** Says which providers there are. */
export const refusedModel = ({ message }: ModelNotFound) => failed(message, ExitCode.badInput)

/** Fails with exit 42 and the names that were perhaps meant. */
export const noPersona = Effect.fnUntraced(function* (id: string) {
  const personas = yield* Effect.flatMap(PersonaStore, (store) => store.list)
  return yield* noSuch(
    "persona",
    id,
    personas.map((persona) => persona.id)
  )
})

/** The persona's id. Fails with exit 42 when there is none. */
export const knownPersona = (id: string) =>
  Effect.flatMap(PersonaStore, (store) => store.get(id)).pipe(
    Effect.map((persona) => persona.id),
    Effect.catchTag("PersonaNotFound", () => noPersona(id))
  )

/** The model's id. Fails with exit 42 when there is none of it; says on stderr when no language model was found. */
export const chosenModel = Effect.fnUntraced(function* (flag: Option.Option<string>) {
  const { id, source } = yield* ModelChoice.choose(flag)
  if (source === "offline") yield* Notices.onceADay("offline_model", `cow: ${DefaultModel.offlineNotice}`)
  yield* Effect.mapError(
    Effect.flatMap(Models, (models) => models.get(id)),
    refusedModel
  )
  return id
})

export const make = Effect.fnUntraced(function* (flags: RunFlags) {
  const { settings, workspace } = yield* Configuration
  const sessionId = yield* sessionOf(flags, workspace)
  const setup: RunSetup = {
    model: yield* chosenModel(flags.model),
    persona: yield* knownPersona(flags.persona),
    permission: yield* PermissionChoice.choose(flags.permission),
    workspace,
    maxSteps: Option.getOrElse(flags.maxSteps, () => settings.agent_max_steps),
    ...(sessionId === undefined ? {} : { sessionId })
  }
  return setup
})
