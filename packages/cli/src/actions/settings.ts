/** `cow init` and `cow config …`: the user's `config.json`. */
import { Jsonc, NearNames, Secrets } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Absent from "../command/Absent.ts"
import { ExitCode, failed } from "../command/ExitCode.ts"
import * as App from "../layers/App.ts"
import * as ConfigFile from "../settings/ConfigFile.ts"
import { Configuration } from "../settings/Configuration.ts"
import * as Settings from "../settings/Settings.ts"
import { UserHome } from "../settings/UserHome.ts"
import { Output } from "../terminal/Output.ts"

const keyNamed = (name: string) =>
  Settings.isSettingKey(name)
    ? Effect.succeed(name)
    : Effect.fail(
        failed(
          `there is no setting "${name}"${NearNames.hint(name, Settings.settingKeys)}`,
          ExitCode.badInput
        )
      )

/** Keys of providers are not for showing. */
const masked = (settings: Settings.Settings): Settings.Settings => ({
  ...settings,
  providers: Object.fromEntries(
    Object.entries(settings.providers).map(([name, provider]) => [
      name,
      {
        ...provider,
        ...(provider.api_key === undefined || provider.api_key.startsWith("${")
          ? {}
          : { api_key: Secrets.mask }),
        ...(provider.headers === undefined
          ? {}
          : { headers: Object.fromEntries(Object.keys(provider.headers).map((key) => [key, Secrets.mask])) })
      }
    ])
  )
})

export const init = Effect.fnUntraced(function* () {
  const output = yield* Output
  const { config } = yield* UserHome
  const key = "mcp_tool_retrieval_enabled"
  if (config.given[key] !== undefined) return yield* output.note(`${config.path} is there already`)
  yield* ConfigFile.set(config.path, key, true)
  yield* output.note(`wrote ${config.path}`)
}, Effect.provide(UserHome.layer))

export const get = Effect.fnUntraced(function* (input: {
  readonly key: Option.Option<string>
  readonly json: boolean
}) {
  const output = yield* Output
  const settings = masked((yield* Configuration).settings)
  if (Option.isNone(input.key)) return yield* output.json(settings)
  const value = settings[yield* keyNamed(input.key.value)]
  if (input.json || typeof value !== "string") return yield* output.json(value ?? null)
  yield* output.text(value)
}, Effect.provide(App.configuration))

/** What is no JSON is taken as text: `cow config set model offline/cow`. */
const valueOf = (text: string): Schema.Json => {
  const parsed = Jsonc.parse(text)
  return text.trim() !== "" && Result.isSuccess(parsed) ? parsed.success.value : text
}

export const set = Effect.fnUntraced(function* (input: { readonly key: string; readonly value: string }) {
  const output = yield* Output
  const { config } = yield* UserHome
  const key = yield* keyNamed(input.key)
  const value = valueOf(input.value)
  const changed = yield* ConfigFile.set(config.path, key, value)
  yield* output.note(changed ? `set ${key} in ${config.path}` : `${key} is so already`)
  const idle = Absent.ofSetting(key, value)
  if (idle !== undefined) yield* output.note(`cow: warning: ${idle}`)
}, Effect.provide(UserHome.layer))
