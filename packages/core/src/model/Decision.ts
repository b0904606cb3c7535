/**
 * What a gate is asked and what it answers: a decision about one tool, with every check that led to it. Who decides is
 * the port `ToolGate`; what the permission mode says of it is `PermissionPolicy`.
 */
import type { JsonObject } from "./Message.ts"
import type { PermissionMode } from "./Permission.ts"
import type { RegisteredTool } from "./ToolTable.ts"

export type DenyReason =
  | "not_registered"
  | "server_not_ready"
  | "not_granted"
  | "denied_by_policy"
  | "is_a_skill"
  | "permission_mode"

export type Check = "registered" | "server" | "grant" | "policy" | "skill" | "permission" | "confirmation"

/** One check of a decision. `fix` is a command a person can type, where the check failed and one exists. */
export interface TraceStep {
  readonly check: Check
  readonly ok: boolean
  readonly detail: string
  readonly fix?: string
}

export type Decision = { readonly trace: ReadonlyArray<TraceStep> } & (
  | { readonly _tag: "Allow" }
  /** A person must approve this very call. */
  | { readonly _tag: "Confirm"; readonly reason: string }
  | { readonly _tag: "Deny"; readonly reason: DenyReason; readonly detail: string }
)

export interface GateRequest {
  readonly persona: string
  readonly permission: PermissionMode
  /** Absolute path of the workspace folder. */
  readonly workspace: string
  readonly registered: RegisteredTool
  /** Absent: may the tool be used at all, for listing and choosing. */
  readonly input?: JsonObject
}

/** Who asks, without the tool and the call. */
export type GateAsker = Omit<GateRequest, "registered" | "input">
