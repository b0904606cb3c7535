/** The public face of `@cow/mcp`: the manager of MCP servers and the file they are written in. */

export * as LoginCallback from "./auth/LoginCallback.ts"
export * as PastedRedirect from "./auth/PastedRedirect.ts"
export { LoginFailed, ServerLogin } from "./auth/ServerLogin.ts"
export { type Login, TokenStore, TokenStoreFailed, type TokenStoreShape } from "./auth/TokenStore.ts"
export type { ConfigDiagnostic } from "./config/ConfigSource.ts"
export * as ForeignConfig from "./config/ForeignConfig.ts"
export * as McpConfig from "./config/McpConfig.ts"
export { McpConfigFile, type McpConfigFileSettings, McpEditRefused } from "./config/McpConfigFile.ts"
export { defaultTimeouts, type McpSettings } from "./config/McpSettings.ts"
export * as StdioPolicy from "./config/StdioPolicy.ts"
export { LoginRefused, type OAuthClientSettings, type UserAgent } from "./config/UserAgent.ts"
export {
  CallFailed,
  ConnectFailed,
  type Connection,
  type ListedTools,
  type OtherMethod
} from "./connection/Connection.ts"
export * as HttpConnection from "./connection/HttpConnection.ts"
export type { UnreadyServer } from "./fleet/Readiness.ts"
export type { ServerInfo } from "./fleet/ServerTable.ts"
export type { TestedTool, TestReport } from "./fleet/ServerTest.ts"
export { McpManager, type ServerDetails, ServerNotFound } from "./McpManager.ts"
export * as ApprovedSampler from "./requests/ApprovedSampler.ts"
export {
  type ElicitationAnswer,
  type ElicitationForm,
  type ElicitationVisit,
  Elicitor,
  type ElicitorShape
} from "./requests/Elicitor.ts"
export { type Sampled, Sampler, type SamplerShape, SamplingRefused } from "./requests/Sampler.ts"
export * as ServerRequests from "./requests/ServerRequests.ts"
export type { LeftOutTool } from "./server/ServerTools.ts"
