/** The public face of `@cow/mcp`: the manager of MCP servers, the file they are written in, and their names. */
export * as McpConfig from "./McpConfig.ts"
export { McpManager, type ServerDetails, ServerNotFound, type UnreadyServer } from "./McpManager.ts"
export { defaultTimeouts, type McpSettings } from "./McpSettings.ts"
export type { ServerInfo } from "./ServerTable.ts"
export type { TestedTool, TestReport } from "./ServerTest.ts"
export type { LeftOutTool } from "./ServerTools.ts"
export * as ToolName from "./ToolName.ts"
