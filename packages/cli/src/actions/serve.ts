/** `cow serve`: the HTTP API on a port of this machine, until a signal ends it. */
import { Approver, type Permission } from "@cow/core"
import { isLoopback, makeHandler } from "@cow/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { badUsage } from "../command/ExitCode.ts"
import * as AgentLayers from "../layers/AgentLayers.ts"
import * as RunSetup from "../run/RunSetup.ts"
import * as HttpListener from "../serve/HttpListener.ts"
import { Configuration } from "../settings/Configuration.ts"
import { Environment } from "../settings/Environment.ts"
import * as PermissionChoice from "../settings/PermissionChoice.ts"
import { Output } from "../terminal/Output.ts"
import { version } from "../Version.ts"

interface Input {
  readonly host: string
  readonly port: number
  readonly token: Option.Option<string>
  readonly model: Option.Option<string>
  readonly permission: Option.Option<Permission.PermissionMode>
  readonly maxSteps: Option.Option<number>
}

/** `--token`, else `COW_TOKEN`. */
const tokenOf = Effect.fnUntraced(function* ({ host, token }: Input) {
  const { variables } = yield* Environment
  if (Option.contains(token, "")) return yield* badUsage("cow serve: --token is empty")
  const given = Option.getOrElse(token, () => variables.COW_TOKEN ?? "")
  if (given !== "") return given
  if (isLoopback(host)) return undefined
  return yield* badUsage(`cow serve: --host ${host} is open to the network: it needs --token or COW_TOKEN`)
})

const listening = Effect.fnUntraced(
  function* (input: Input, token: string | undefined) {
    const output = yield* Output
    const { settings, workspace } = yield* Configuration
    if (settings.mcp_allow_arbitrary_stdio)
      yield* Effect.logWarning(
        "mcp_allow_arbitrary_stdio is on: the API may add servers that start any program"
      )
    const defaultModelId = yield* RunSetup.chosenModel(input.model)
    const handler = makeHandler({
      host: input.host,
      port: input.port,
      ...(token === undefined ? {} : { token }),
      defaultModelId,
      maxPermission: yield* PermissionChoice.choose(input.permission),
      workspace,
      maxSteps: Option.getOrElse(input.maxSteps, () => settings.agent_max_steps),
      version
    })
    const address = yield* HttpListener.listen(input, handler)
    yield* output.note(`cow: listening on ${address}`)
    return yield* Effect.never
  },
  Effect.scoped,
  Effect.provide(AgentLayers.agent.pipe(Layer.provide(Approver.layerUnattended)))
)

export const serve = Effect.fnUntraced(function* (input: Input) {
  yield* listening(input, yield* tokenOf(input))
})
