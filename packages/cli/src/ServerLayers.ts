/** The MCP servers of this command and the choice among their tools. */
import { ToolSelector, ToolServers } from "@cow/core"

export const servers = ToolServers.layerNone
export const selector = ToolSelector.layerAll
