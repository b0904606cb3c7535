/**
 * Registers the providers in core's `Models`: the built-in ones, `offline`, and the user's own, which take the place
 * of a built-in one of the same name. Makes no request and loads no SDK; that is `SdkModel`.
 */
import { type Model, ModelNotFound, type ModelProvider, Models } from "@cow/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as KnownProviders from "./KnownProviders.ts"
import type { ModelSettings, ProviderTarget } from "./ModelSettings.ts"
import * as OfflineModel from "./OfflineModel.ts"
import * as SdkModel from "./SdkModel.ts"

const trimmed = (url: string): string => url.trim().replace(/\/+$/, "")

/** The anthropic SDK wants `/v1` in its base URL; the vendor's own does not. */
const addressOf = (type: ProviderTarget["type"], url: string): string => {
  const base = trimmed(url)
  return type === "anthropic" && !/\/v\d+$/.test(base) ? `${base}/v1` : base
}

/** An empty key, as of a variable that is set to nothing, is none; a line end read with it is no part of it. */
const keyOf = (key: Redacted.Redacted<string> | undefined): Redacted.Redacted<string> | undefined => {
  const value = key === undefined ? "" : Redacted.value(key).trim()
  return value === "" ? undefined : Redacted.make(value)
}

/** Headers that carry a key of their own. */
const hasKeyHeader = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).some((name) => /^(authorization|x-api-key|api-key|x-goog-api-key)$/i.test(name))

/** The provider of that name as the settings have it, or a line that says what is missing. */
export const target = (settings: ModelSettings, name: string): Result.Result<ProviderTarget, string> => {
  const entry = Object.hasOwn(settings.providers, name) ? settings.providers[name] : undefined
  const known = KnownProviders.table.get(name)
  const environment = Object.hasOwn(settings.environment, name) ? settings.environment[name] : undefined
  const type = entry?.type ?? known?.type
  if (type === undefined) return Result.fail(`there is no provider "${name}"`)
  const knownUrl = known?.type === type ? (environment?.baseUrl ?? known.baseUrl) : undefined
  const url = entry?.baseUrl ?? knownUrl ?? vendorUrl(type)
  if (url === undefined) return Result.fail(`providers.${name} in config.json needs a base_url`)
  if (!URL.canParse(trimmed(url)) || !/^https?:/i.test(url.trim()))
    return Result.fail(`providers.${name}.base_url in config.json is no http or https URL`)
  const headers = entry?.headers ?? {}
  const apiKey = keyOf(entry?.apiKey) ?? keyOf(environment?.apiKey)
  const configured = `providers.${name}.api_key in config.json`
  const variable = known?.keyVariables[0]
  // A server of the user's own may well be open; the vendors' are not.
  const open =
    type === "openai-compatible" &&
    (known === undefined || known.keyVariables.length === 0 || entry?.baseUrl !== undefined)
  return Result.succeed({
    name,
    type,
    baseUrl: addressOf(type, url),
    ...(apiKey === undefined ? {} : { apiKey }),
    needsKey: !open && !hasKeyHeader(headers),
    headers,
    keyPlace: variable === undefined ? configured : `${variable} or ${configured}`
  })
}

const vendorUrl = (type: ProviderTarget["type"]): string | undefined =>
  type === "openai-compatible" ? undefined : KnownProviders.table.get(type)?.baseUrl

const provider = (settings: ModelSettings, name: string): ModelProvider => {
  const made = new Map<string, Model.Model>()
  return {
    name,
    model: (model) =>
      Effect.suspend(() => {
        const found = made.get(model)
        if (found !== undefined) return Effect.succeed(found)
        const answer = target(settings, name)
        if (Result.isFailure(answer)) {
          const id = `${name}/${model}`
          return Effect.fail(new ModelNotFound({ id, message: `model "${id}": ${answer.failure}` }))
        }
        const fresh = SdkModel.make(answer.success, model)
        made.set(model, fresh)
        return Effect.succeed(fresh)
      })
  }
}

/** All providers, for as long as the layer is open. */
export const layer = (settings: ModelSettings): Layer.Layer<never, never, Models> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const models = yield* Models
      const names = new Set([...Object.keys(settings.providers), ...KnownProviders.names])
      for (const name of names)
        yield* models.register(
          name === "offline" && !Object.hasOwn(settings.providers, name)
            ? OfflineModel.provider
            : provider(settings, name)
        )
    })
  )
