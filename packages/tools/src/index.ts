/** The public face of `@cow/tools`. */
export type { BuiltinSettings } from "./BuiltinSettings.ts"
export * as BuiltinTools from "./BuiltinTools.ts"
