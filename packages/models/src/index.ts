/** The public face of `@cow/models`. */
export * as DefaultModel from "./DefaultModel.ts"
export * as KnownProviders from "./KnownProviders.ts"
export * as ModelProviders from "./ModelProviders.ts"
export type {
  ModelSettings,
  ProviderEntry,
  ProviderEnvironment,
  ProviderTarget,
  ProviderType
} from "./ModelSettings.ts"
export * as OfflineModel from "./OfflineModel.ts"
export * as OllamaProbe from "./OllamaProbe.ts"
