/** The public face of `@cow/tools`. */

export * as BuiltinTools from "./BuiltinTools.ts"
export type { BuiltinSettings } from "./tool/BuiltinSettings.ts"
