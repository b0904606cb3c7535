/** The public face of `@cow/server`. */
export { isLoopback, TokenRequired } from "./AccessCheck.ts"
export { type Handler, makeHandler } from "./HttpApi.ts"
export type { ServerSettings } from "./ServerSettings.ts"
