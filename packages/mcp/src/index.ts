/** The public face of `@cow/mcp`: the manager of MCP servers and the file they are written in. */
export * as ApprovedSampler from "./ApprovedSampler.ts"
export type { ConfigDiagnostic } from "./ConfigSource.ts"
export {
  CallFailed,
  ConnectFailed,
  type Connection,
  type ListedTools,
  type OtherMethod
} from "./Connection.ts"
export { type ElicitationAnswer, type ElicitationForm, Elicitor, type ElicitorShape } from "./Elicitor.ts"
export * as ForeignConfig from "./ForeignConfig.ts"
export * as HttpConnection from "./HttpConnection.ts"
export * as LoginCallback from "./LoginCallback.ts"
export * as McpConfig from "./McpConfig.ts"
export { McpConfigFile, type McpConfigFileSettings, McpEditRefused } from "./McpConfigFile.ts"
export { McpManager, type ServerDetails, ServerNotFound } from "./McpManager.ts"
export { defaultTimeouts, type McpSettings } from "./McpSettings.ts"
export * as PastedRedirect from "./PastedRedirect.ts"
export type { UnreadyServer } from "./Readiness.ts"
export { type Sampled, Sampler, type SamplerShape, SamplingRefused } from "./Sampler.ts"
export { LoginFailed, ServerLogin } from "./ServerLogin.ts"
export * as ServerRequests from "./ServerRequests.ts"
export type { ServerInfo } from "./ServerTable.ts"
export type { TestedTool, TestReport } from "./ServerTest.ts"
export type { LeftOutTool } from "./ServerTools.ts"
export * as StdioPolicy from "./StdioPolicy.ts"
export { type Login, TokenStore, TokenStoreFailed, type TokenStoreShape } from "./TokenStore.ts"
export { LoginRefused, type OAuthClientSettings, type UserAgent } from "./UserAgent.ts"
