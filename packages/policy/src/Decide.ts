/**
 * The one decision about a tool, over facts that were gathered before: seven checks in a fixed order, every one
 * made and shown whatever the others say. Pure. Gathering the facts is `PolicyGate`; for a name that is no tool
 * `Explain` speaks.
 */
import type {
  Decision,
  DenyReason,
  Permission,
  PermissionPolicy,
  ServerStatus,
  ToolTable,
  TraceStep
} from "@cow/core"
import { capabilitiesOf, evaluate, type PolicyRow } from "./PolicyRules.ts"
import * as ServerCheck from "./ServerCheck.ts"

export interface Facts {
  readonly persona: string
  readonly registered: ToolTable.RegisteredTool
  /** The tool's server as it stands. Null: the tool has none, or its server is not configured any more. */
  readonly server: ServerStatus | null
  readonly rows: ReadonlyArray<PolicyRow>
  readonly verdict: PermissionPolicy.Verdict
  /** The strictest mode that would not deny the call, where `verdict` denies it and such a mode exists. */
  readonly laxerMode: Permission.PermissionMode | null
}

const registered: TraceStep = { check: "registered", ok: true, detail: "in the tool table" }
const noServer: TraceStep = { check: "server", ok: true, detail: "needs no server" }
const noGrant: TraceStep = { check: "grant", ok: true, detail: "needs no grant" }
const skill: TraceStep = { check: "skill", ok: true, detail: "a tool, not a skill" }
const byDefault: TraceStep = { check: "policy", ok: true, detail: "no row; allowed by default" }
const byGrant: TraceStep = { check: "policy", ok: true, detail: "no row; the grant decides" }
const notNeeded: TraceStep = { check: "confirmation", ok: true, detail: "not needed" }
const notChecked: TraceStep = { check: "confirmation", ok: false, detail: "not checked" }
const modeAllows: Record<Permission.PermissionMode, TraceStep> = {
  "read-only": { check: "permission", ok: true, detail: "mode read-only" },
  "workspace-write": { check: "permission", ok: true, detail: "mode workspace-write" },
  "full-access": { check: "permission", ok: true, detail: "mode full-access" }
}

const reasonOf: Partial<Record<TraceStep["check"], DenyReason>> = {
  registered: "not_registered",
  server: "server_not_ready",
  grant: "not_granted",
  policy: "denied_by_policy",
  skill: "is_a_skill",
  permission: "permission_mode"
}

/** The first check that fails, `confirmation` apart, denies and names the reason. */
export const decide = (facts: Facts): Decision => {
  const { source } = facts.registered
  const trace: ReadonlyArray<TraceStep> = [
    registered,
    source._tag === "Mcp" ? ServerCheck.server(source.server, facts.server) : noServer,
    source._tag === "Mcp" ? ServerCheck.grant(source.server, facts.server, facts.persona) : noGrant,
    policy(facts),
    skill,
    permission(facts),
    confirmation(facts)
  ]
  for (const { check, detail, ok } of trace) {
    const reason = ok ? undefined : reasonOf[check]
    if (reason !== undefined) return { _tag: "Deny", reason, detail, trace }
  }
  return facts.verdict._tag === "Confirm"
    ? { _tag: "Confirm", reason: facts.verdict.reason, trace }
    : { _tag: "Allow", trace }
}

/** A row can close a tool; it cannot open one whose server is not granted, so that is left to `grant`. */
const policy = ({ persona, registered, rows }: Facts): TraceStep => {
  const isMcp = registered.source._tag === "Mcp"
  const { allowed, row } = evaluate(rows, persona, capabilitiesOf(registered), !isMcp)
  if (row === null) return isMcp ? byGrant : byDefault
  const who = row.persona === "*" ? "everyone" : `persona ${row.persona}`
  const detail = `row for ${who}: ${row.capability} = ${row.allowed}`
  return allowed
    ? { check: "policy", ok: true, detail }
    : { check: "policy", ok: false, detail, fix: `cow persona show ${persona}` }
}

const permission = ({ laxerMode, verdict }: Facts): TraceStep => {
  if (verdict._tag !== "Deny") return modeAllows[verdict.mode]
  const step: TraceStep = { check: "permission", ok: false, detail: verdict.reason }
  return laxerMode === null ? step : { ...step, fix: `cow run --permission ${laxerMode}` }
}

const confirmation = ({ verdict }: Facts): TraceStep => {
  switch (verdict._tag) {
    case "Allow":
      return notNeeded
    case "Deny":
      return notChecked
    case "Confirm":
      return { check: "confirmation", ok: false, detail: verdict.reason, fix: "cow approve RUN" }
  }
}
