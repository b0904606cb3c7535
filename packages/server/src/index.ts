/** The public face of `@cow/server`. */
export { isLoopback, TokenRequired } from "./access/AccessCheck.ts"
export { type Handler, makeHandler } from "./HttpHandler.ts"
export type { ServerSettings } from "./ServerSettings.ts"
