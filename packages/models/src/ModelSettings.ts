/**
 * What the layer of this package is given: plain values, read and expanded by the CLI (or an app of your own).
 * Nothing here reads files or the environment; which providers there are without settings is `KnownProviders`.
 */
import type * as Redacted from "effect/Redacted"

/**
 * The wire a provider speaks. `openai` is the Responses API, `openai-compatible` chat completions.
 * `google` cannot be named in `config.json`; it belongs to the built-in provider.
 */
export type ProviderType = "anthropic" | "openai" | "openai-compatible" | "google"

/** One entry of `providers` in `config.json`, its `${VAR}`s expanded. */
export interface ProviderEntry {
  readonly type: Exclude<ProviderType, "google">
  /** As the vendor's SDK takes it: with `/v1` for the openai types, with or without for anthropic. */
  readonly baseUrl?: string
  readonly apiKey?: Redacted.Redacted<string>
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What the environment says about one built-in provider. */
export interface ProviderEnvironment {
  readonly apiKey?: Redacted.Redacted<string>
  readonly baseUrl?: string
}

export interface ModelSettings {
  /** The user's own providers by name. An entry of a built-in name takes its place, and keeps its key from the environment unless it brings one. */
  readonly providers: Readonly<Record<string, ProviderEntry>>
  /** By the name of a built-in provider (`KnownProviders.table`). */
  readonly environment: Readonly<Record<string, ProviderEnvironment>>
}

/** A provider with everything that is needed to call it. */
export interface ProviderTarget {
  readonly name: string
  readonly type: ProviderType
  /** Without a trailing slash; for anthropic with its `/v1`. */
  readonly baseUrl: string
  readonly apiKey?: Redacted.Redacted<string>
  readonly needsKey: boolean
  readonly headers: Readonly<Record<string, string>>
  /** Where a key is set, for messages: `ANTHROPIC_API_KEY or providers.anthropic.api_key in config.json`. */
  readonly keyPlace: string
}
