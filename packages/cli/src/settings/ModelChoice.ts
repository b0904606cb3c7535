/**
 * Which model this command uses, and what its provider is called with: the settings and variables turned into the
 * values that the models package takes. Which of several places counts is `DefaultModel`.
 */
import { Variables } from "@cow/core"
import {
  DefaultModel,
  KnownProviders,
  type ModelSettings,
  OllamaProbe,
  type ProviderEntry
} from "@cow/models"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Configuration } from "./Configuration.ts"
import { Environment } from "./Environment.ts"
import type { ProviderSettings } from "./Settings.ts"

/** An Ollama on this machine answers in a few milliseconds. */
const ollamaPatience = "400 millis"

type ProcessVariables = Environment["Service"]["variables"]

const secret = (value: string) => Redacted.make(value)

/** The environment's part: keys and addresses of the built-in providers. */
export const environmentOf = (variables: ProcessVariables): ModelSettings["environment"] =>
  Object.fromEntries(
    [...KnownProviders.table].map(([name, { baseUrlVariable, keyVariables }]) => {
      const key = keyVariables.map((variable) => variables[variable]).find((value) => value)
      const given = baseUrlVariable === undefined ? undefined : variables[baseUrlVariable]
      const url = name === "ollama" ? KnownProviders.ollamaBaseUrl(given) : given
      return [name, { ...(key ? { apiKey: secret(key) } : {}), ...(url ? { baseUrl: url } : {}) }]
    })
  )

export interface Expanded {
  readonly entries: Readonly<Record<string, ProviderEntry>>
  /** One line each: what is left out, and why. */
  readonly warnings: ReadonlyArray<string>
}

/** `providers` with `${VAR}` filled in. An entry that names a missing variable goes without that value. */
export const expanded = (
  providers: Readonly<Record<string, ProviderSettings>>,
  variables: ProcessVariables
): Expanded => {
  const warnings: Array<string> = []
  const fill = (name: string, key: string, text: string | undefined): string | undefined => {
    if (text === undefined) return undefined
    const filled = Variables.expand(text, (variable) => variables[variable])
    if (filled.missing.length === 0) return filled.text
    warnings.push(`providers.${name}.${key} needs ${filled.missing.join(", ")}, which is not set`)
    return undefined
  }
  const entries: Record<string, ProviderEntry> = {}
  for (const [name, given] of Object.entries(providers)) {
    const known = KnownProviders.table.get(name)?.type
    const type = given.type ?? (known === "google" ? undefined : known)
    if (type === undefined) {
      warnings.push(
        `providers.${name} needs a "type": anthropic, openai or openai-compatible; it is left out`
      )
      continue
    }
    const baseUrl = fill(name, "base_url", given.base_url)
    const apiKey = fill(name, "api_key", given.api_key)
    const headers = Object.entries(given.headers ?? {}).flatMap(([header, value]) => {
      const filled = fill(name, `headers.${header}`, value)
      return filled === undefined ? [] : [[header, filled] as const]
    })
    entries[name] = {
      type,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(apiKey ? { apiKey: secret(apiKey) } : {}),
      ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) })
    }
  }
  return { entries, warnings }
}

export const settings = Effect.gen(function* () {
  const { settings } = yield* Configuration
  const { variables } = yield* Environment
  const { entries, warnings } = expanded(settings.providers, variables)
  for (const warning of warnings) yield* Effect.logWarning(warning)
  const made: ModelSettings = { providers: entries, environment: environmentOf(variables) }
  return made
})

/** Asks for an Ollama only when nothing else says which model to take. */
export const choose = Effect.fnUntraced(function* (flag: Option.Option<string>) {
  const { project, settings, user } = yield* Configuration
  const { variables } = yield* Environment
  const environment = environmentOf(variables)
  const keys = new Set(Object.keys(environment).filter((name) => environment[name]?.apiKey !== undefined))
  const { entries } = expanded(settings.providers, variables)
  for (const [name, provider] of Object.entries(entries)) if (provider.apiKey !== undefined) keys.add(name)
  const sources = {
    flag: Option.getOrUndefined(flag),
    variable: variables.COW_MODEL,
    project: project.given.model,
    user: user.given.model,
    keys
  }
  const chosen = DefaultModel.choose(sources)
  if (chosen.source !== "offline") return chosen
  const ollama = yield* OllamaProbe.models(
    KnownProviders.ollamaBaseUrl(variables.OLLAMA_HOST),
    ollamaPatience
  )
  return DefaultModel.choose({ ...sources, ollama })
})

/** The variables that hold keys: not for the programs a run starts. */
export const keyVariables: ReadonlySet<string> = new Set(
  [...KnownProviders.table.values()].flatMap((provider) => provider.keyVariables)
)
