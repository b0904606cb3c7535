/**
 * The public face of `@cow/core`. Services and ports stand by their own names; modules of values and pure
 * functions are namespaces, as in `Message.Message`, `Transcript.repair`.
 */
export * as AgentEvent from "./AgentEvent.ts"
export { type ApprovalAnswer, Approver } from "./Approver.ts"
export * as AtomicFile from "./AtomicFile.ts"
export * as Audience from "./Audience.ts"
export * as CanonicalJson from "./CanonicalJson.ts"
export * as Diagnostic from "./Diagnostic.ts"
export { Embedder, EmbedError } from "./Embedder.ts"
export { type EventSink, Events } from "./Events.ts"
export * as Excerpt from "./Excerpt.ts"
export * as FileLock from "./FileLock.ts"
export * as Jsonc from "./Jsonc.ts"
export * as McpToolName from "./McpToolName.ts"
export * as Message from "./Message.ts"
export * as Model from "./Model.ts"
export { ModelError, ModelNotFound, type ModelProvider, Models } from "./Model.ts"
export * as NearNames from "./NearNames.ts"
export * as Permission from "./Permission.ts"
export * as PermissionPolicy from "./PermissionPolicy.ts"
export * as PlatformFault from "./PlatformFault.ts"
export * as Plugin from "./Plugin.ts"
export {
  type PromptContext,
  type PromptSection,
  PromptSections,
  type PromptSlot,
  type RenderedSection
} from "./PromptSections.ts"
export * as Run from "./Run.ts"
export {
  IllegalTransition,
  type RunChange,
  RunNotFound,
  RunStore,
  RunStoreError,
  type StoredEvent
} from "./RunStore.ts"
export { SchemaInvalid, SchemaValidator, type Validate } from "./SchemaValidator.ts"
export * as Secrets from "./Secrets.ts"
export {
  SessionInfo,
  SessionNotFound,
  SessionStore,
  SessionStoreError,
  sessionTitle
} from "./SessionStore.ts"
export { type SkillCard, SkillCatalog } from "./SkillCatalog.ts"
export { type SkillFolder, SkillFolders } from "./SkillFolders.ts"
export { type Migrations, type Row, type SqlValue, StateDb, StateDbError } from "./StateDb.ts"
export * as Tool from "./Tool.ts"
export {
  type Check,
  type Decision,
  type DenyReason,
  type GateAsker,
  type GateRequest,
  ToolGate,
  type TraceStep
} from "./ToolGate.ts"
export { ToolManager, type ToolRegistration } from "./ToolManager.ts"
export * as ToolResult from "./ToolResult.ts"
export { type Selection, type SelectionRequest, selectAll, ToolSelector } from "./ToolSelector.ts"
export { ServerState, type ServerStatus, ToolServers } from "./ToolServers.ts"
export * as ToolSpec from "./ToolSpec.ts"
export * as ToolTable from "./ToolTable.ts"
export * as Transcript from "./Transcript.ts"
export { type Adviser, UnknownToolAdvice, type UnknownToolRequest } from "./UnknownToolAdvice.ts"
export * as Variables from "./Variables.ts"
export * as VisibleJson from "./VisibleJson.ts"
export * as Words from "./Words.ts"
