/**
 * The settings of `config.json`: which keys there are, what each may hold, and what it is when it is absent.
 * Reading files is `ConfigFile`; choosing the model is the models package's.
 *
 * Pure.
 */
import { type Jsonc, NearNames } from "@cow/core"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Absent from "../command/Absent.ts"

const atLeast = (minimum: number) => Schema.Int.check(Schema.isGreaterThanOrEqualTo(minimum))
const Seconds = Schema.Finite.check(Schema.isGreaterThan(0))
const Texts = Schema.Record(Schema.String, Schema.String)

/** `type` may be left out for a built-in provider whose key or address alone is set. */
export const ProviderSettings = Schema.Struct({
  type: Schema.optionalKey(Schema.Literals(["anthropic", "openai", "openai-compatible"])),
  base_url: Schema.optionalKey(Schema.String),
  api_key: Schema.optionalKey(Schema.String),
  headers: Schema.optionalKey(Texts)
})
export type ProviderSettings = typeof ProviderSettings.Type

/** Keys with a default are always there after decoding. */
const fields = {
  model: Schema.NonEmptyString,
  providers: Schema.Record(Schema.String, ProviderSettings),
  agent_workspace: Schema.NonEmptyString,
  agent_max_steps: atLeast(1),
  agent_max_context_tokens: atLeast(1),
  agent_max_context_turns: atLeast(1),
  agent_permission_mode: Schema.String,
  mcp_servers: Schema.Union([Schema.Record(Schema.String, Schema.Json), Schema.Array(Schema.Json)]),
  mcp_sampling_enabled: Schema.Boolean,
  mcp_allow_arbitrary_stdio: Schema.Boolean,
  mcp_tool_retrieval_enabled: Schema.Boolean,
  mcp_tool_retrieval_threshold: atLeast(0),
  mcp_tool_retrieval_top_k: atLeast(1),
  embedding_provider: Schema.NonEmptyString,
  embedding_model: Schema.NonEmptyString,
  embedding_dimensions: atLeast(1),
  web_fetch_allow_private: Schema.Boolean,
  agent_max_retry_wait_seconds: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
  mcp_connect_timeout_seconds: Seconds,
  mcp_read_timeout_seconds: Seconds,
  mcp_write_timeout_seconds: Seconds,
  plugins: Schema.Array(Schema.String)
}

export type SettingKey = keyof typeof fields
export const settingKeys = Object.keys(fields) as ReadonlyArray<SettingKey>
export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(fields, key)

type Values = { readonly [Key in SettingKey]: (typeof fields)[Key]["Type"] }

/** Those keys that a file sets. */
export type GivenSettings = Partial<Values>

type Unset = "model" | "agent_workspace" | "embedding_provider" | "embedding_model" | "embedding_dimensions"
export type Settings = Omit<Values, Unset> & Partial<Pick<Values, Unset>>

export const defaults: Settings = {
  providers: {},
  agent_max_steps: 30,
  agent_max_context_tokens: 64_000,
  agent_max_context_turns: 30,
  agent_permission_mode: "workspace-write",
  mcp_servers: {},
  mcp_sampling_enabled: false,
  mcp_allow_arbitrary_stdio: false,
  mcp_tool_retrieval_enabled: false,
  mcp_tool_retrieval_threshold: 20,
  mcp_tool_retrieval_top_k: 10,
  web_fetch_allow_private: false,
  agent_max_retry_wait_seconds: 120,
  mcp_connect_timeout_seconds: 90,
  mcp_read_timeout_seconds: 20,
  mcp_write_timeout_seconds: 60,
  plugins: []
}

/** Later files count before earlier ones, key by key; `providers` provider by provider. */
export const merge = (...given: ReadonlyArray<GivenSettings>): Settings => {
  const settings = Object.assign({}, defaults, ...given) as Settings
  const providers = Object.assign({}, ...given.map((one) => one.providers)) as Settings["providers"]
  return { ...settings, providers }
}

export interface SettingFault {
  /** `["providers", "fake", "type"]`; empty: the whole file. */
  readonly path: Jsonc.KeyPath
  readonly message: string
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

const at = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)

/** One value checked against its key. */
export const decodeKey = (key: SettingKey, value: unknown): Result.Result<unknown, SettingFault> => {
  const schema: Schema.Decoder<unknown> = fields[key]
  return Result.mapError(Schema.decodeUnknownResult(schema)(value), (error): SettingFault => {
    const first = issuesOf(error.issue).issues[0]
    const inner = (first?.path ?? []).map((part) =>
      String(typeof part === "object" && part !== null ? part.key : part)
    )
    const path = [key, ...inner]
    // A secret may stand in a provider's entry: its value is never repeated.
    const got = path.includes("api_key") || path.includes("headers") ? "" : `, got ${show(at(value, inner))}`
    return { path, message: `${first?.message.split("\n")[0]?.replace(/, (?:got|actual) .*$/, "")}${got}` }
  })
}

export interface Decoded {
  readonly given: GivenSettings
  readonly warnings: ReadonlyArray<SettingFault>
  /** What `cow doctor` alone says. */
  readonly asides: ReadonlyArray<SettingFault>
}

/** Unknown keys and keys that stand twice are warnings; a wrong value is a fault. */
export const decode = (document: Jsonc.JsoncDocument): Result.Result<Decoded, SettingFault> => {
  const value = document.value
  if (value === null || typeof value !== "object" || Array.isArray(value))
    return Result.fail({ path: [], message: `the file must hold an object, got ${show(value)}` })
  const warnings: Array<SettingFault> = document.duplicates.map(({ path }) => ({
    path,
    message: `key "${path.join(".")}" stands twice; the last one counts`
  }))
  const asides: Array<SettingFault> = []
  const given: Record<string, unknown> = {}
  for (const [key, one] of Object.entries(value)) {
    if (!isSettingKey(key)) {
      const message = `unknown key "${key}" is ignored${NearNames.hint(key, settingKeys)}`
      warnings.push({ path: [key], message })
      continue
    }
    const decoded = decodeKey(key, one)
    if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
    given[key] = decoded.success
    const idle = Absent.ofSetting(key, one)
    if (idle !== undefined) (Absent.isForDoctor(key) ? asides : warnings).push({ path: [key], message: idle })
    if (key === "providers") warnings.push(...strangeProviderKeys(one as Record<string, object>))
  }
  return Result.succeed({ given: given as GivenSettings, warnings, asides })
}

const strangeProviderKeys = (providers: Record<string, object>): ReadonlyArray<SettingFault> =>
  Object.entries(providers).flatMap(([name, entry]) =>
    Object.keys(entry)
      .filter((key) => !Object.hasOwn(ProviderSettings.fields, key))
      .map((key) => ({
        path: ["providers", name, key],
        message: `unknown key "${key}" of provider "${name}" is ignored${NearNames.hint(key, Object.keys(ProviderSettings.fields))}`
      }))
  )
