/**
 * May this persona use this tool, and must a person be asked? One function, asked for listing, for choosing what
 * a model sees, and again at the moment of the call.
 *
 * Core's own layer knows the permission mode only; grants and policy rows are the policy package's.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { JsonObject } from "./Message.ts"
import type { PermissionMode } from "./Permission.ts"
import * as PermissionPolicy from "./PermissionPolicy.ts"
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

export class ToolGate extends Context.Service<
  ToolGate,
  { readonly decide: (request: GateRequest) => Effect.Effect<Decision> }
>()("@cow/core/ToolGate") {
  /** The permission mode alone. An error inside the check denies. */
  static readonly layerPermission: Layer.Layer<ToolGate> = Layer.succeed(ToolGate, {
    decide: (request) => Effect.map(PermissionPolicy.check(request), fromVerdict)
  })
}

/** A decision whose only checks are the tool's place in the table and the permission mode. */
const fromVerdict = (verdict: PermissionPolicy.Verdict): Decision => {
  const registered: TraceStep = { check: "registered", ok: true, detail: "in the tool table" }
  const trace = [registered, ...PermissionPolicy.trace(verdict)]
  switch (verdict._tag) {
    case "Allow":
      return { _tag: "Allow", trace }
    case "Confirm":
      return { _tag: "Confirm", reason: verdict.reason, trace }
    case "Deny":
      return { _tag: "Deny", reason: "permission_mode", detail: verdict.reason, trace }
  }
}
