/**
 * The public face of `@cow/core`. Services and ports stand by their own names; modules of values and pure
 * functions are namespaces, as in `Message.Message`, `Transcript.repair`.
 */

export * as AtomicFile from "./files/AtomicFile.ts"
export * as FileLock from "./files/FileLock.ts"
export * as PlatformFault from "./files/PlatformFault.ts"
export * as AgentEvent from "./model/AgentEvent.ts"
export * as Audience from "./model/Audience.ts"
export type {
  Check,
  Decision,
  DenyReason,
  GateAsker,
  GateRequest,
  TraceStep
} from "./model/Decision.ts"
export * as Diagnostic from "./model/Diagnostic.ts"
export * as Guest from "./model/Guest.ts"
export * as McpToolName from "./model/McpToolName.ts"
export * as Message from "./model/Message.ts"
export * as Page from "./model/Page.ts"
export * as Permission from "./model/Permission.ts"
export * as PermissionPolicy from "./model/PermissionPolicy.ts"
export * as Run from "./model/Run.ts"
export * as RunOwner from "./model/RunOwner.ts"
export { RunRequest } from "./model/RunRequest.ts"
export { ServerState, type ServerStatus } from "./model/ServerStatus.ts"
export { SessionSummary } from "./model/SessionSummary.ts"
export * as SessionTools from "./model/SessionTools.ts"
export * as Tool from "./model/Tool.ts"
export * as ToolResult from "./model/ToolResult.ts"
export * as ToolSpec from "./model/ToolSpec.ts"
export * as ToolTable from "./model/ToolTable.ts"
export * as Transcript from "./model/Transcript.ts"
export { type ApprovalAnswer, Approver } from "./ports/Approver.ts"
export { Embedder, EmbedError } from "./ports/Embedder.ts"
export { type EventSink, Events } from "./ports/Events.ts"
export * as Model from "./ports/Model.ts"
export { ModelError, ModelNotFound, type ModelProvider, Models } from "./ports/Model.ts"
export {
  defaultPersona,
  Persona,
  PersonaExists,
  PersonaId,
  PersonaIdInvalid,
  PersonaNotFound,
  PersonaRequired,
  type PersonaRows,
  PersonaStore,
  PersonaStoreError
} from "./ports/PersonaStore.ts"
export * as Plugin from "./ports/Plugin.ts"
export {
  type PromptContext,
  type PromptSection,
  PromptSections,
  type PromptSlot,
  type RenderedSection
} from "./ports/PromptSections.ts"
export {
  ClaimLost,
  IllegalTransition,
  interrupted,
  type RunChange,
  type RunList,
  RunNotFound,
  RunStore,
  RunStoreError,
  SessionBusy,
  type StoredEvent
} from "./ports/RunStore.ts"
export { SchemaInvalid, SchemaValidator, type Validate } from "./ports/SchemaValidator.ts"
export {
  SessionConflict,
  SessionInfo,
  type SessionList,
  SessionNotFound,
  type SessionState,
  SessionStore,
  SessionStoreError,
  type SessionWrite,
  sessionTitle
} from "./ports/SessionStore.ts"
export { Assignment, AssignmentsUnavailable, SkillAssignments } from "./ports/SkillAssignments.ts"
export { type SkillCard, SkillCatalog } from "./ports/SkillCatalog.ts"
export { type SkillFolder, SkillFolders } from "./ports/SkillFolders.ts"
export { type Migrations, type Row, type SqlValue, StateDb, StateDbError } from "./ports/StateDb.ts"
export { ToolGate } from "./ports/ToolGate.ts"
export { ToolManager, type ToolRegistration } from "./ports/ToolManager.ts"
export { type Progress, ToolProgress } from "./ports/ToolProgress.ts"
export { type Selection, type SelectionRequest, selectAll, ToolSelector } from "./ports/ToolSelector.ts"
export { ToolServers } from "./ports/ToolServers.ts"
export { type TrustedItems, TrustRecords, TrustRecordsError } from "./ports/TrustRecords.ts"
export { type Adviser, UnknownToolAdvice, type UnknownToolRequest } from "./ports/UnknownToolAdvice.ts"
export * as UsableTools from "./ports/UsableTools.ts"
export * as CanonicalJson from "./text/CanonicalJson.ts"
export * as Excerpt from "./text/Excerpt.ts"
export * as Jsonc from "./text/Jsonc.ts"
export * as JsoncEdit from "./text/JsoncEdit.ts"
export * as JsonValue from "./text/JsonValue.ts"
export * as NearNames from "./text/NearNames.ts"
export * as NetAddress from "./text/NetAddress.ts"
export * as SecretStream from "./text/SecretStream.ts"
export * as Secrets from "./text/Secrets.ts"
export * as Variables from "./text/Variables.ts"
export * as VisibleJson from "./text/VisibleJson.ts"
export * as Words from "./text/Words.ts"
